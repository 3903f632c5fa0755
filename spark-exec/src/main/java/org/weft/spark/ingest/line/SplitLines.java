package org.weft.spark.ingest.line;

import java.io.IOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.weft.storage.file.FileAccess;

/** The lines of one split in this process, each valid until the next. Close it. */
public final class SplitLines implements Iterator<Text>, AutoCloseable {
  private final String file;
  private final RecordReader<LongWritable, Text> reader;
  private boolean ready;
  private boolean ended;

  public SplitLines(TextInput input, FileSplit split) {
    this.file = TextInput.name(split);
    TaskAttemptContext context =
        new TaskAttemptContextImpl(input.configuration(), new TaskAttemptID());
    this.reader = new CheckedTextFormat().createRecordReader(split, context);
    try {
      reader.initialize(split, context);
    } catch (IOException e) {
      throw FileAccess.unavailable(file, e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private static IllegalStateException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new IllegalStateException("reading does not wait for other threads", e);
  }

  @Override
  public boolean hasNext() {
    if (!ready && !ended) {
      try {
        ready = reader.nextKeyValue();
        ended = !ready;
      } catch (IOException e) {
        throw FileAccess.unavailable(file, e);
      } catch (InterruptedException e) {
        throw interrupted(e);
      }
    }
    return ready;
  }

  @Override
  public Text next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    ready = false;
    try {
      return reader.getCurrentValue();
    } catch (IOException e) {
      throw FileAccess.unavailable(file, e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  @Override
  public void close() {
    try {
      reader.close();
    } catch (IOException e) {
      throw FileAccess.unavailable(file, e);
    }
  }
}
