package org.weft.spark.ingest.line;

import java.io.EOFException;
import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.input.LineRecordReader;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;

/** Lines of text files, where a file that cannot be read is one error with its name. */
public final class CheckedTextFormat extends TextInputFormat {
  @Override
  public RecordReader<LongWritable, Text> createRecordReader(
      InputSplit split, TaskAttemptContext context) {
    return new Lines();
  }

  private static final class Lines extends LineRecordReader {
    private String file = "";

    @Override
    public void initialize(InputSplit split, TaskAttemptContext context) {
      file = TextInput.name(((FileSplit) split).getPath().toString());
      try {
        super.initialize(split, context);
      } catch (IOException e) {
        throw unreadable(e);
      } catch (ArrayIndexOutOfBoundsException e) {
        throw unreadable(damagedBlock(e));
      }
    }

    @Override
    public boolean nextKeyValue() {
      try {
        return super.nextKeyValue();
      } catch (IOException e) {
        throw unreadable(e);
      } catch (ArrayIndexOutOfBoundsException e) {
        throw unreadable(damagedBlock(e));
      }
    }

    /** What Hadoop's bzip2 throws for a block that it does not check first. */
    private static IOException damagedBlock(ArrayIndexOutOfBoundsException e) {
      return new IOException("a damaged block", e);
    }

    /** A damaged file, told from a file system that fails. */
    private WeftException unreadable(IOException failure) {
      String found = String.valueOf(failure.getMessage());
      boolean packed = file.endsWith(".gz") || file.endsWith(".bz2");
      boolean ends = failure instanceof EOFException || found.contains("nexpected end");
      if (!packed || !ends && failure.getClass() != IOException.class) {
        return FileAccess.unavailable(file, failure);
      }
      return new WeftException(
          ends ? ErrorCode.TRUNCATED_INPUT : ErrorCode.CORRUPT_INPUT,
          file
              + ": expected compressed text, found "
              + (ends ? "the end of the file in it" : "other bytes (" + found + ")")
              + "; copy the file again, or rename it if it is not compressed",
          failure);
    }
  }
}
