package org.weft.spark.ingest.line;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.spark.api.java.JavaNewHadoopRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;
import org.weft.spark.ingest.cell.BadCell;
import org.weft.spark.ingest.cell.Utf8Text;
import org.weft.storage.file.FileAccess;
import scala.Tuple2;

/**
 * Lines of text files with their places, as {@link Place#lineSchema}. Plain and bzip2 files are
 * read by several tasks; a line's number is then known within its split, and within the file by
 * {@link #linesBefore}.
 */
public final class LineSource {
  /** So that cores end at nearly one time. */
  private static final int SPLITS_PER_CORE = 4;

  private final JavaSparkContext context;
  private final Configuration configuration;

  /**
   * @param quotedLines joins lines while a quoted cell is open; a file is then one split
   * @throws org.weft.error.WeftException {@code INPUT_NOT_FOUND}
   */
  public LineSource(
      JavaSparkContext context, FileAccess files, List<String> inputs, boolean quotedLines) {
    this.context = context;
    this.configuration =
        new TextInput(files, inputs, quotedLines)
            .configuration(SPLITS_PER_CORE * context.defaultParallelism());
  }

  /**
   * All lines.
   *
   * @param header the first line of every file, left out, or null if files have none
   * @param quote joins lines while a cell in these quotes is open; 0: lines are records
   */
  public JavaRDD<Row> lines(@Nullable String header, char quote) {
    return hadoop().mapPartitionsWithInputSplit((s, lines) -> read(s, lines, header, quote), true);
  }

  /** What is made of each split and its lines, each of which is valid until the next. */
  public <T> JavaRDD<T> each(Function2<FileSplit, Iterator<Text>, Iterator<T>> work) {
    return hadoop()
        .mapPartitionsWithInputSplit(
            (split, lines) -> work.call((FileSplit) split, new Texts(lines)), true);
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
    FileSplit file = (FileSplit) split;
    return new Records(file, new LineCursor(file, new Texts(lines), header, quote));
  }

  /** Where a split starts. */
  public record Split(String file, long start) implements java.io.Serializable {}

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
              Split at = new Split(TextInput.name(file), file.getStart());
              return List.of(new Tuple2<>(at, count)).iterator();
            },
            true)
        .collect();
  }

  /** For every split the lines of its file before it. Cost: reads all inputs. */
  public Map<Split, Long> linesBefore() {
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

  /** The text of lines beside their places. */
  private record Texts(Iterator<Tuple2<LongWritable, Text>> lines) implements Iterator<Text> {
    @Override
    public boolean hasNext() {
      return lines.hasNext();
    }

    @Override
    public Text next() {
      return lines.next()._2();
    }
  }

  /** Records of one split as rows. */
  private static final class Records implements Iterator<Row> {
    private final String file;
    private final long start;
    private final LineCursor cursor;
    private boolean ready;

    Records(FileSplit split, LineCursor cursor) {
      this.file = TextInput.name(split);
      this.start = split.getStart();
      this.cursor = cursor;
    }

    @Override
    public boolean hasNext() {
      ready = ready || cursor.next();
      return ready;
    }

    @Override
    public Row next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      ready = false;
      String text;
      String problem = null;
      try {
        text = Utf8Text.of(cursor.text());
      } catch (BadCell bad) {
        text = cursor.text().toString();
        problem = bad.reason();
      }
      return RowFactory.create(file, start, cursor.number(), text, problem);
    }
  }
}
