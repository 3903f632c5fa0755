package org.weft.spark.ingest.line;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.weft.engine.Backend;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;

/** Text files, plain, gzip or bzip2, and the splits that they are read in. */
public final class TextInput {
  private final List<String> inputs;
  private final Job job;

  /**
   * @param whole whether a file is one split
   * @throws WeftException {@code INPUT_NOT_FOUND}
   */
  public TextInput(FileAccess files, List<String> inputs, boolean whole) {
    this.inputs = inputs;
    try {
      this.job = Job.getInstance(files.configuration());
      for (String input : inputs) {
        FileInputFormat.addInputPath(job, existing(files, input));
      }
      if (whole) {
        FileInputFormat.setMinInputSplitSize(job, Long.MAX_VALUE);
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(String.join(", ", inputs), e);
    }
  }

  /** The path of an input, which may be a pattern. */
  public static Path existing(FileAccess files, String input) {
    Path path = files.path(input);
    try {
      FileStatus[] found = files.fileSystem(path).globStatus(path);
      if (found == null || found.length == 0) {
        throw new WeftException(
            ErrorCode.INPUT_NOT_FOUND,
            input
                + ": expected a file, found nothing"
                + FileAccess.place(input, path)
                + "; check the path");
      }
      return path;
    } catch (IOException e) {
      throw FileAccess.unavailable(input, e);
    }
  }

  /** For {@link CheckedTextFormat}. */
  Configuration configuration() {
    return job.getConfiguration();
  }

  /**
   * The same, with splits of a file system's block, or with smaller ones if {@code tasks} would not
   * all have one.
   */
  Configuration configuration(int tasks) {
    long bytes = splits(Long.MAX_VALUE).stream().mapToLong(FileSplit::getLength).sum();
    FileInputFormat.setMaxInputSplitSize(job, Math.max(Backend.SPLIT_BYTES, bytes / tasks));
    return configuration();
  }

  /** The splits of at most {@code bytes}, in the order of files and places. */
  public List<FileSplit> splits(long bytes) {
    FileInputFormat.setMaxInputSplitSize(job, bytes);
    List<FileSplit> splits = new ArrayList<>();
    try {
      for (InputSplit split : new CheckedTextFormat().getSplits(job)) {
        splits.add((FileSplit) split);
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(String.join(", ", inputs), e);
    }
    return splits;
  }

  /** The file of a split as people write it. */
  public static String name(FileSplit split) {
    return name(split.getPath().toString());
  }

  /** A path as people write it. */
  public static String name(String path) {
    return path.startsWith("file:") ? path.replaceFirst("^file:/+", "/") : path;
  }
}
