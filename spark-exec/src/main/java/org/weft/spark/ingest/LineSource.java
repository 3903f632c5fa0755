package org.weft.spark.ingest;

import java.io.IOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.spark.api.java.JavaNewHadoopRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;
import scala.Tuple2;

/**
 * Lines of text files with their places, plain, gzip or bzip2, as {@link Place#lineSchema}. Plain
 * and bzip2 files are read by several tasks; a line's number is then known within its split, and
 * within the file by {@link #linesBefore}. Blank lines count, but are left out.
 */
final class LineSource {
  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private final JavaSparkContext context;
  private final Configuration configuration;

  /**
   * @param quotedLines joins lines while a quoted cell is open; a file is then one split
   * @throws WeftException {@code INPUT_NOT_FOUND}
   */
  LineSource(JavaSparkContext context, FileAccess files, List<String> inputs, boolean quotedLines) {
    this.context = context;
    try {
      Job job = Job.getInstance(files.configuration());
      for (String input : inputs) {
        FileInputFormat.addInputPath(job, existing(files, input));
      }
      this.configuration = job.getConfiguration();
      if (quotedLines) {
        configuration.setLong(FileInputFormat.SPLIT_MINSIZE, Long.MAX_VALUE);
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(String.join(", ", inputs), e);
    }
  }

  /** The path of an input, which may be a pattern. */
  static Path existing(FileAccess files, String input) {
    Path path = files.path(input);
    try {
      FileStatus[] found = files.fileSystem(path).globStatus(path);
      if (found == null || found.length == 0) {
        throw new WeftException(
            ErrorCode.INPUT_NOT_FOUND,
            input + ": expected a file, found nothing at " + path + "; check the path");
      }
      return path;
    } catch (IOException e) {
      throw FileAccess.unavailable(input, e);
    }
  }

  /**
   * All lines.
   *
   * @param header the first line of every file, left out, or null if files have none
   * @param quote joins lines while a cell in these quotes is open; 0: lines are records
   */
  JavaRDD<Row> lines(@Nullable String header, char quote) {
    return hadoop().mapPartitionsWithInputSplit((s, lines) -> read(s, lines, header, quote), true);
  }

  private JavaNewHadoopRDD<LongWritable, Text> hadoop() {
    return (JavaNewHadoopRDD<LongWritable, Text>)
        context.newAPIHadoopRDD(
            configuration, CheckedTextFormat.class, LongWritable.class, Text.class);
  }

  private static Iterator<Row> read(
      org.apache.hadoop.mapreduce.InputSplit split,
      Iterator<Tuple2<LongWritable, Text>> lines,
      @Nullable String header,
      char quote) {
    return new Records((FileSplit) split, lines, header, quote);
  }

  /** Where a split starts. */
  record Split(String file, long start) implements java.io.Serializable {}

  /** Lines of every split; reads all inputs. */
  private List<Tuple2<Split, Long>> counts() {
    return hadoop()
        .mapPartitionsWithInputSplit(
            (split, lines) -> {
              long count = 0;
              for (; lines.hasNext(); lines.next()) {
                count++;
              }
              FileSplit file = (FileSplit) split;
              Split at = new Split(name(file), file.getStart());
              return List.of(new Tuple2<>(at, count)).iterator();
            },
            true)
        .collect();
  }

  /** For every split the lines of its file before it. Cost: reads all inputs. */
  Map<Split, Long> linesBefore() {
    List<Tuple2<Split, Long>> counts = counts();
    Map<Split, Long> before = new HashMap<>();
    Map<String, Long> sums = new HashMap<>();
    counts.stream()
        .sorted(java.util.Comparator.comparingLong(c -> c._1().start()))
        .forEach(
            count -> {
              String file = count._1().file();
              before.put(count._1(), sums.getOrDefault(file, 0L));
              sums.merge(file, count._2(), Long::sum);
            });
    return before;
  }

  private static String name(FileSplit split) {
    return name(split.getPath().toString());
  }

  /** A path as people write it. */
  static String name(String path) {
    return path.startsWith("file:") ? path.replaceFirst("^file:/+", "/") : path;
  }

  /** Records of one split, most of them a line each. */
  private static final class Records implements Iterator<Row> {
    private final String file;
    private final long start;
    private final Iterator<Tuple2<LongWritable, Text>> lines;
    private final @Nullable String header;
    private final char quote;
    private long line;
    private @Nullable Row next;

    Records(
        FileSplit split,
        Iterator<Tuple2<LongWritable, Text>> lines,
        @Nullable String header,
        char quote) {
      this.file = name(split);
      this.start = split.getStart();
      this.lines = lines;
      this.header = header;
      this.quote = quote;
    }

    @Override
    public boolean hasNext() {
      while (next == null && lines.hasNext()) {
        String text = line();
        long first = line;
        if (first == 1 && start == 0 && header != null) {
          requireHeader(text);
          continue;
        }
        while (quote != 0 && isOpen(text) && lines.hasNext()) {
          text = text + "\n" + line();
        }
        if (!text.isBlank()) {
          next = RowFactory.create(file, start, first, text);
        }
      }
      return next != null;
    }

    private String line() {
      line++;
      String text = lines.next()._2().toString();
      boolean mark =
          line == 1 && start == 0 && !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK;
      return mark ? text.substring(1) : text;
    }

    private boolean isOpen(String text) {
      return text.chars().filter(c -> c == quote).count() % 2 == 1;
    }

    private void requireHeader(String text) {
      if (!text.equals(header)) {
        throw new WeftException(
            ErrorCode.MALFORMED_INPUT,
            file
                + ":1: expected the same header line as in the first file, "
                + BadCell.shown(String.valueOf(header))
                + ", found "
                + BadCell.shown(text)
                + "; read files with other columns on their own");
      }
    }

    @Override
    public Row next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      Row row = java.util.Objects.requireNonNull(next);
      next = null;
      return row;
    }
  }
}
