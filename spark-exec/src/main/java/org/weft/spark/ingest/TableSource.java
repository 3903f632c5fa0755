package org.weft.spark.ingest;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;
import org.apache.spark.SparkThrowable;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.Failures;
import org.weft.spark.ingest.cell.Utf8Text;
import org.weft.spark.ingest.line.LineSource;
import org.weft.spark.ingest.line.Place;
import org.weft.spark.ingest.line.TextInput;
import org.weft.spark.ingest.record.JsonCells;
import org.weft.spark.ingest.record.SparkCells;
import org.weft.storage.file.FileAccess;
import org.weft.text.Counts;

/**
 * The input as one Spark table: its columns, the computed ones, and {@link Place}. Text comes line
 * by line, so that every row knows its line; its cells are text.
 */
final class TableSource {
  private static final int SAMPLED_LINES = 1000;
  private static final Pattern GROUP = Pattern.compile("\\(\\?<([A-Za-z][A-Za-z0-9]*)>");

  /** Errors of the libraries of Parquet and ORC, of which some go on as they are. */
  private static final Pattern DAMAGED =
      Pattern.compile("org\\.apache\\.(orc|parquet)\\..*|.*\\.protobuf\\..*Exception");

  private static final UserDefinedFunction MAY_BE_OBJECT =
      functions.udf((UDF1<String, Boolean>) TableSource::mayBeObject, DataTypes.BooleanType);

  private final SparkSession spark;
  private final FileAccess files;
  private final IngestJob.Table table;
  private final Dataset<Row> rows;
  private @Nullable LineSource lines;

  /**
   * Opens the input; reads the first lines of text, and the schema of others.
   *
   * @param named columns that the job names: those of JSON lines may be rare
   */
  TableSource(SparkSession spark, FileAccess files, IngestJob.Table table, Set<String> named) {
    this.spark = spark;
    this.files = files;
    this.table = table;
    String refused = "the table";
    try {
      Dataset<Row> read =
          switch (table.format()) {
            case "csv", "tsv" -> csv();
            case "jsonl" -> json(named);
            case "text" -> text();
            case "table" -> unplaced(spark.table(table.inputs().get(0)));
            default -> structured();
          };
      for (Map.Entry<String, String> column : table.computed().entrySet()) {
        refused = "--column '" + column.getKey() + "=" + column.getValue() + "'";
        read = read.withColumn(column.getKey(), functions.expr(column.getValue()));
      }
      if (table.where() != null) {
        refused = "--where '" + table.where() + "'";
        read = read.where(table.where());
      }
      this.rows = read;
    } catch (Exception e) {
      throw refused(refused, e);
    }
  }

  /**
   * Spark's analysis errors are checked, but not declared. An option that Spark cannot use may be
   * any error at all.
   *
   * @param what the part of the job that Spark looked at
   */
  private RuntimeException refused(String what, Exception e) {
    String condition = e instanceof SparkThrowable coded ? coded.getCondition() : null;
    boolean unknown = "DATA_SOURCE_NOT_FOUND".equals(condition);
    boolean unreadable =
        (condition != null && condition.startsWith("FAILED_READ_FILE")) || isDamaged(e);
    boolean option =
        !table.options().isEmpty()
            && e instanceof RuntimeException
            && !(e instanceof WeftException)
            && Failures.known(e) == null;
    if (e instanceof AnalysisException || unknown || unreadable || option) {
      String message =
          String.valueOf(e.getMessage())
              .lines()
              .filter(line -> !line.isBlank())
              .map(line -> line.replaceAll("(, )?`__weft_\\w+`", "")) // Place, which is our own
              .findFirst()
              .orElse("no reason given");
      return new WeftException(
          unreadable ? ErrorCode.MALFORMED_INPUT : ErrorCode.USAGE,
          String.join(", ", table.inputs())
              + ": Spark refuses "
              + what
              + ": "
              + message
              + (option ? "; check --option " + names() : ""),
          e);
    }
    return Ingest.failure(e);
  }

  /** Of the options that were given; a value may be a password. */
  private String names() {
    return String.join(", --option ", new TreeSet<>(table.options().keySet()));
  }

  /** Whether the library of a binary format found the file wrong. */
  private static boolean isDamaged(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (DAMAGED.matcher(cause.getClass().getName()).matches()) {
        return true;
      }
    }
    return false;
  }

  Dataset<Row> rows() {
    return rows;
  }

  /** Names of the columns, computed ones included. */
  List<String> columns() {
    return Stream.of(rows.columns()).filter(column -> !Place.isPlace(column)).toList();
  }

  /** The column of this name, whatever characters it has. */
  Column column(String name, String option) {
    TableColumns.require(table, columns(), name, option);
    return quoted(name);
  }

  private static Column quoted(String name) {
    return functions.col("`" + name.replace("`", "``") + "`");
  }

  /** For every split of text the lines of its file before it; empty for other inputs. */
  Map<LineSource.Split, Long> linesBefore() {
    return lines == null ? Map.of() : lines.linesBefore();
  }

  private JavaSparkContext context() {
    return JavaSparkContext.fromSparkContext(spark.sparkContext());
  }

  private LineSource open() {
    LineSource opened = new LineSource(context(), files, table.inputs(), table.quotedLines());
    lines = opened;
    return opened;
  }

  private Dataset<Row> csv() {
    LineSource source = open();
    Map<String, String> options = SparkCells.csvOptions(table.format().equals("tsv") ? '\t' : ',');
    options.putAll(table.options());
    String header = null;
    List<String> columns = table.columns();
    if (columns.isEmpty()) {
      List<Row> first = source.lines(null, (char) 0).take(1);
      if (first.isEmpty()) {
        throw empty(table);
      }
      Row names = first.get(0);
      header = names.getString(3);
      if (!names.isNullAt(4)) {
        throw Utf8Text.malformed(names.getString(0), names.getLong(2), header);
      }
      Dataset<String> line = spark.createDataset(List.of(header), Encoders.STRING());
      columns = List.of(spark.read().options(options).option("header", true).csv(line).columns());
    }
    String quote = options.getOrDefault("quote", "\"");
    char quotes = table.quotedLines() && !quote.isEmpty() ? quote.charAt(0) : 0;
    Dataset<Row> text = spark.createDataFrame(source.lines(header, quotes), Place.lineSchema());
    StructType schema = JsonCells.schema(columns);
    options.put("columnNameOfCorruptRecord", JsonCells.CORRUPT);
    return cells(
        text,
        functions.from_csv(functions.col(Place.TEXT), functions.lit(schema.toDDL()), options),
        functions.lit(false),
        columns,
        "expected " + Counts.plain(columns.size(), "cell"));
  }

  private Dataset<Row> json(Set<String> named) {
    LineSource source = open();
    JavaRDD<Row> lines = source.lines(null, (char) 0);
    List<Row> first = lines.take(SAMPLED_LINES);
    if (first.isEmpty()) {
      throw empty(table);
    }
    List<String> sample =
        first.stream().filter(row -> row.isNullAt(4)).map(row -> row.getString(3)).toList();
    Set<String> columns = new LinkedHashSet<>();
    Dataset<String> text = spark.createDataset(sample, Encoders.STRING());
    Map<String, String> options = new HashMap<>(table.options());
    options.putAll(JsonCells.options());
    columns.addAll(List.of(spark.read().options(options).json(text).columns()));
    columns.addAll(named);
    columns.remove(JsonCells.CORRUPT);
    table.computed().keySet().forEach(columns::remove);
    return cells(
        spark.createDataFrame(lines, Place.lineSchema()),
        functions.from_json(functions.col(Place.TEXT), JsonCells.schema(columns), options),
        functions.not(MAY_BE_OBJECT.apply(functions.col(Place.TEXT))),
        columns,
        "expected a JSON object");
  }

  private static boolean mayBeObject(String line) {
    byte[] text = line.getBytes(StandardCharsets.UTF_8);
    return JsonCells.mayBeOneObject(text, text.length);
  }

  private static Dataset<Row> cells(
      Dataset<Row> lines, Column parsed, Column wrong, Iterable<String> columns, String expected) {
    List<Column> selected = new ArrayList<>();
    for (String column : columns) {
      selected.add(functions.col("__weft_parsed").getField(column).as(column));
    }
    for (String place : List.of(Place.FILE, Place.START, Place.LINE, Place.TEXT)) {
      selected.add(functions.col(place));
    }
    Column corrupt = functions.col("__weft_parsed").getField(JsonCells.CORRUPT).isNotNull();
    Column unparsed = functions.when(wrong.or(corrupt), functions.lit(expected));
    selected.add(functions.coalesce(functions.col(Place.PROBLEM), unparsed).as(Place.PROBLEM));
    return lines.withColumn("__weft_parsed", parsed).select(selected.toArray(Column[]::new));
  }

  /** The error of files without lines. */
  static WeftException empty(IngestJob.Table table) {
    return new WeftException(
        ErrorCode.MALFORMED_INPUT,
        String.join(", ", table.inputs())
            + ": expected lines of text, found none; a file may be empty, or not be compressed as its"
            + " name says");
  }

  /** Lines whole, or taken apart by a regular expression. */
  private Dataset<Row> text() {
    JavaRDD<Row> lines = open().lines(null, (char) 0);
    String regex = table.pattern() == null ? "(?<line>.*)" : table.pattern();
    List<String> groups = new ArrayList<>();
    try {
      Pattern.compile(regex);
    } catch (PatternSyntaxException e) {
      throw new WeftException(
          ErrorCode.USAGE, "expected a regular expression as --pattern: " + e.getDescription(), e);
    }
    for (Matcher group = GROUP.matcher(regex); group.find(); ) {
      groups.add(group.group(1));
    }
    if (groups.isEmpty()) {
      throw new WeftException(
          ErrorCode.USAGE,
          "expected named groups such as (?<host>\\S+) in --pattern, found none; they are the"
              + " columns");
    }
    StructType schema = new StructType();
    for (String group : groups) {
      schema = schema.add(group, DataTypes.StringType);
    }
    for (String place : Place.lineSchema().fieldNames()) {
      schema = schema.add(Place.lineSchema().apply(place));
    }
    List<String> names = List.copyOf(groups);
    return spark.createDataFrame(
        lines.mapPartitions(rows -> match(rows, Pattern.compile(regex), names)), schema);
  }

  private static Iterator<Row> match(Iterator<Row> lines, Pattern pattern, List<String> groups) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return lines.hasNext();
      }

      @Override
      public Row next() {
        Row line = lines.next();
        int count = groups.size();
        Object[] cells = new Object[count + 5];
        for (int place = 0; place < 5; place++) {
          cells[count + place] = line.get(place);
        }
        Matcher matcher = pattern.matcher(line.getString(3));
        if (matcher.matches()) {
          for (int group = 0; group < count; group++) {
            cells[group] = matcher.group(groups.get(group));
          }
        } else if (line.isNullAt(4)) {
          cells[count + 4] = "expected a line that matches the pattern";
        }
        return RowFactory.create(cells);
      }
    };
  }

  /** Parquet, ORC and other sources of Spark; files know their names, Parquet its rows. */
  private Dataset<Row> structured() {
    String[] paths =
        table.inputs().stream()
            .map(input -> TextInput.existing(files, input).toString())
            .toArray(String[]::new);
    Dataset<Row> read = spark.read().format(table.format()).options(table.options()).load(paths);
    boolean known = Set.of("parquet", "orc", "avro", "json", "csv").contains(table.format());
    return known
        ? placed(
            read,
            functions.col("_metadata.file_path"),
            table.format().equals("parquet")
                ? functions.col("_metadata.row_index").plus(1L)
                : functions.lit(null).cast(DataTypes.LongType))
        : unplaced(read);
  }

  private static Dataset<Row> unplaced(Dataset<Row> read) {
    DataType text = DataTypes.StringType;
    return placed(
        read, functions.lit(null).cast(text), functions.lit(null).cast(DataTypes.LongType));
  }

  private static Dataset<Row> placed(Dataset<Row> read, Column file, Column row) {
    return read.select(
        functions.col("*"),
        file.as(Place.FILE),
        functions.lit(0L).as(Place.START),
        row.as(Place.LINE),
        functions.lit(null).cast(DataTypes.StringType).as(Place.TEXT),
        functions.lit(null).cast(DataTypes.StringType).as(Place.PROBLEM));
  }
}
