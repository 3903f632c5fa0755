package org.weft.jobs.command;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.weft.jobs.option.BatchOptions;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.process.SoftwareVersions;
import org.weft.jobs.run.Session;
import org.weft.spark.ingest.Ingest;
import org.weft.spark.ingest.IngestJob;
import org.weft.spark.ingest.IngestReport;
import org.weft.spark.ingest.LocalIngest;
import org.weft.spark.ingest.ModeSpec;
import org.weft.spark.ingest.cell.TimeFormat;
import org.weft.storage.TensorFiles;
import org.weft.storage.container.Container;
import org.weft.storage.file.FileAccess;
import org.weft.text.Counts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft ingest}. */
@Command(
    name = "ingest",
    sortOptions = false,
    description = {
      "Make a labelled tensor of a table.",
      "The table is CSV, TSV, JSON lines, Parquet, ORC, any table of Spark, or text whose"
          + " lines a regular expression takes apart. The column of a mode gives the labels of"
          + " the mode. Rows with the same labels become one entry.",
      "Labels are sorted and numbered, so that the same rows give the same tensor. With"
          + " --master, executors sort and number the labels, and labels do not pass through the"
          + " driver.",
      "A BUCKET after a column's name makes labels of ranges. Without BUCKET, or with text, each"
          + " text is a label. Of numbers: number (each number by itself, in numeric order), a width (10), edges (1,10,100), log2 or log10."
          + " Of times: year, quarter, month, week, day, hour, minute, weekday, hour-of-day or"
          + " month-of-year."
    },
    footer = {
      "",
      "Example: weft ingest day.csv ev.weft --mode user --mode day=time:day --append --batch"
          + " 2024-05-31",
      "Example: weft ingest sales.csv.gz sales.weft --mode shop --mode article --mode"
          + " week=sold:week --value price --min-count article=5 --rejects rejects.csv",
      "Example: weft ingest 'log/*.gz' hits.weft --format text --pattern '(?<host>\\S+)"
          + " .*\\[(?<time>.*?)] \"\\S+ (?<path>\\S+).*' --mode host --mode path --mode"
          + " hour=time:hour --time-format 'dd/MMM/yyyy:HH:mm:ss Z'"
    })
public final class IngestCommand extends SparkCommand {
  @Parameters(
      arity = "2..*",
      paramLabel = "IN... OUT",
      hideParamSyntax = true,
      description =
          "Files, folders or patterns such as 'log/*.gz', all with the same columns. The folder"
              + " .weft to write stands last.")
  List<String> paths = List.of();

  @Option(
      names = "--mode",
      required = true,
      paramLabel = "NAME[=COLUMN][:BUCKET]",
      description =
          "A mode of the tensor, and the column that labels the mode. Repeat the option for"
              + " every mode.")
  List<String> modes = List.of();

  @Option(
      names = "--value",
      paramLabel = "COLUMN",
      description = "The column of the values (default: every row counts 1).")
  @Nullable String value;

  @Option(
      names = "--aggregate",
      paramLabel = "HOW",
      description =
          "How rows with the same labels become one value: sum, count, mean, min, max, or any,"
              + " which is 1 (default: sum).")
  IngestJob.Aggregate aggregate = IngestJob.Aggregate.SUM;

  @Option(
      names = "--transform",
      paramLabel = "HOW",
      description =
          "The function that is applied to an aggregated value: none, log1p or sqrt (default:"
              + " none).")
  IngestJob.Transform transform = IngestJob.Transform.NONE;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description =
          "The format of the table: csv, tsv, jsonl, text, parquet, orc, table, or another data"
              + " source of Spark. With table, IN is the name of a table in Spark's catalog (default:"
              + " by the extension of the first input).")
  @Nullable String format;

  @Option(
      names = "--pattern",
      paramLabel = "REGEX",
      description =
          "With --format text: a regular expression that matches a whole line. Its named groups"
              + " (?<name>...) are the columns.")
  @Nullable String pattern;

  @Option(
      names = "--columns",
      split = ",",
      paramLabel = "NAME",
      description = "The names of the columns of CSV or TSV without a header line.")
  List<String> columns = List.of();

  @Option(
      names = "--quoted-lines",
      description = "Quoted cells of CSV may contain line ends. One task then reads each file.")
  boolean quotedLines;

  @Option(
      names = "--option",
      paramLabel = "KEY=VALUE",
      description = "An option of Spark's reader: sep, quote, comment, ... Repeatable.")
  Map<String, String> options = new LinkedHashMap<>();

  @Option(
      names = "--column",
      paramLabel = "NAME=SQL",
      description =
          "A further column, computed by an SQL expression from the other columns:"
              + " explode(split(tags, ' ')). Repeatable.")
  Map<String, String> computed = new LinkedHashMap<>();

  @Option(
      names = "--where",
      paramLabel = "SQL",
      description = "Read only rows for which this SQL condition holds.")
  @Nullable String where;

  @Option(
      names = "--time-format",
      paramLabel = "FORMAT",
      description =
          "The form of times in text: iso (2024-01-31 or 2024-01-31T10:00:00Z), epoch"
              + " (seconds), epoch-millis, or a pattern such as dd.MM.yyyy (default: iso).")
  String timeFormat = "iso";

  @Option(
      names = "--time-zone",
      paramLabel = "ZONE",
      description =
          "The time zone in which days begin. Times that state no zone are in this zone, too"
              + " (default: UTC).")
  String timeZone = "UTC";

  @Option(
      names = "--missing",
      paramLabel = "LABEL",
      description =
          "The label for missing cells of modes without a bucket. A cell whose text is LABEL"
              + " gets the same label (default: such rows are rejected).")
  @Nullable String missing;

  @Option(
      names = "--min-count",
      paramLabel = "MODE=N",
      description =
          "Drop labels of a mode that have fewer than N rows. This repeats until every label"
              + " that is left has N rows. Repeatable.")
  Map<String, Long> minCounts = new LinkedHashMap<>();

  @Option(
      names = "--rejects",
      paramLabel = "FILE",
      description =
          "Write rows that cannot be used to this CSV file, as file, line, column, reason and"
              + " record. Without the option, such a row is an error.")
  @Nullable String rejects;

  @Option(
      names = "--max-rejects",
      paramLabel = "N",
      description = "Fail if more than N rows are rejected (default: 0; with --rejects: no limit).")
  @Nullable Long maxRejects;

  @Option(
      names = "--append",
      description =
          "Add the entries to the tensor OUT, by their labels. Known labels keep their"
              + " coordinates. New labels get coordinates after the known ones. Values at known"
              + " labels add up. If there is no tensor at OUT, the command makes one.")
  boolean append;

  @Mixin BatchOptions batch = new BatchOptions();

  @Override
  protected void run(Console console) throws IOException {
    FileAccess files = CommonOptions.files();
    String output = paths.get(paths.size() - 1);
    List<String> inputs = paths.subList(0, paths.size() - 1);
    if (output.isEmpty()) {
      throw FileAccess.emptyName();
    }
    if (!TensorFiles.hasExtension(output, ".weft")) {
      throw usage("%s: expected the output last, a folder whose name ends in .weft", output);
    }
    if (append && common.overwrite) {
      throw usage("expected --append or --overwrite, found both");
    }
    batch.check(append, output);
    if (append && batch.isDone(files, output, console)) {
      return;
    }
    boolean present = append && Container.isThere(files, output);
    if (present) {
      claim(files, output);
      TensorFiles.checkAppend(files, output);
    } else {
      checkTensorOutput(files, output);
    }
    if (append && !present) {
      console.note("%s: no tensor is there yet; one is made", output);
    }
    if (rejects != null) {
      if (inputs.contains(rejects) || rejects.equals(output)) {
        throw usage(
            "%s: expected --rejects to name another file than the %s",
            rejects, rejects.equals(output) ? "output" : "input");
      }
      checkOutput(files, rejects);
    }
    IngestJob job = job(inputs, output);
    if (!Session.namesMaster(common) && runHere(console, files, job)) {
      return;
    }
    String application = "weft ingest " + job.source();
    try (Ingest ingest =
        Ingest.start(Session.sparkConf(common, application, console), files, common.partitions)) {
      if (planOnly()) {
        ingest.check(job);
        printPlan(console, job);
        return;
      }
      print(console, output, ingest.run(job, console.progress()));
    }
  }

  /** Does the job without Spark; false if it needs Spark. */
  private boolean runHere(Console console, FileAccess files, IngestJob job) throws IOException {
    try (LocalIngest ingest = LocalIngest.of(files, common.threads)) {
      if (planOnly()) {
        boolean checked = ingest.check(job);
        if (checked) {
          printPlan(console, job);
        }
        return checked;
      }
      Optional<IngestReport> report = ingest.run(job, console.progress());
      report.ifPresent(done -> print(console, job.output(), done));
      return report.isPresent();
    }
  }

  private void printPlan(Console console, IngestJob job) {
    console.result(
        "would read %s as %s and write %s: %s",
        job.source(), job.table().format(), job.output(), String.join(" x ", modes));
  }

  private void print(Console console, String output, IngestReport report) {
    if (!report.written()) {
      batch.isDone(CommonOptions.files(), output, console);
      return;
    }
    console.report("rows        %,d", report.rows());
    console.report("rejected    %,d", report.rejected());
    report.reasons().forEach(reason -> console.report("            %s", reason));
    if (report.rounds() > 0) {
      console.report(
          "rare        %s dropped with their labels, in %s",
          Counts.of(report.dropped(), "row"), Counts.plain(report.rounds(), "round"));
    }
    if (rejects != null) {
      console.result(
          report.rejected() > 0 ? "wrote %s" : "no row was rejected, so %s is not written",
          rejects);
    }
    console.result(
        append ? "wrote %s: %s, %s added" : "wrote %s: %s, %s",
        output,
        report.shape(),
        Counts.of(report.entries(), "entry"));
  }

  private IngestJob job(List<String> inputs, String output) {
    String kind = format == null ? format(inputs.get(0)) : format.toLowerCase(Locale.ROOT);
    boolean csv = kind.equals("csv") || kind.equals("tsv");
    if (pattern != null && !kind.equals("text")) {
      throw usage("expected --pattern with --format text, found --format %s", kind);
    }
    if (!csv && (quotedLines || !columns.isEmpty())) {
      throw usage("expected --columns and --quoted-lines with csv or tsv, found %s", kind);
    }
    Set<String> names = new LinkedHashSet<>();
    for (String column : columns) {
      if (!names.add(column.toLowerCase(Locale.ROOT))) {
        throw usage("expected --columns with different names, found '%s' twice", column);
      }
    }
    if (kind.equals("table") && inputs.size() > 1) {
      throw usage("expected one table, found %s", String.join(", ", inputs));
    }
    long most = maxRejects != null ? maxRejects : rejects == null ? 0 : Long.MAX_VALUE;
    if (most < 0) {
      throw usage("expected --max-rejects of at least 0, found %d", most);
    }
    return new IngestJob(
        new IngestJob.Table(inputs, kind, columns, pattern, quotedLines, options, computed, where),
        modes(),
        value,
        aggregate,
        transform,
        missing,
        common.allowNonfinite,
        common.reproducible,
        output,
        common.overwrite,
        append,
        batch.key(),
        batch.replace,
        rejects,
        most,
        String.join(", ", inputs),
        provenance(inputs),
        SoftwareVersions.program());
  }

  private List<ModeSpec> modes() {
    TimeFormat times;
    try {
      times = new TimeFormat(timeFormat, ZoneId.of(timeZone));
    } catch (IllegalArgumentException | DateTimeException e) {
      throw usage(
          "expected a --time-format and a --time-zone that exist: %s",
          String.valueOf(e.getMessage()));
    }
    List<ModeSpec> specs = new ArrayList<>();
    Set<String> names = new LinkedHashSet<>();
    for (String text : modes) {
      ModeSpec spec = ModeSpec.parse(text, times);
      if (!names.add(spec.name())) {
        throw usage("expected modes with different names, found two of name %s", spec.name());
      }
      specs.add(spec.withMinCount(minCounts.getOrDefault(spec.name(), 0L)));
    }
    minCounts.forEach(
        (name, least) -> {
          if (!names.contains(name)) {
            throw usage(
                "expected --min-count of a mode (%s), found %s", String.join(", ", names), name);
          }
          if (least < 1) {
            throw usage("expected --min-count of at least 1, found %s=%d", name, least);
          }
        });
    return specs;
  }

  private static String format(String input) {
    if (input.isEmpty()) {
      throw FileAccess.emptyName();
    }
    String name = input.toLowerCase(Locale.ROOT).replaceFirst("\\.(gz|bz2)$", "");
    for (String known : List.of("csv", "tsv", "jsonl", "parquet", "orc")) {
      if (name.endsWith("." + known)) {
        return known;
      }
    }
    if (name.endsWith(".json") || name.endsWith(".ndjson")) {
      return "jsonl";
    }
    throw usage(
        "%s: expected a name that ends in .csv, .tsv, .jsonl, .json, .ndjson (also .gz, .bz2),"
            + " .parquet or .orc, or --format",
        input);
  }

  /** The command without the folder that the output is in: the same wherever it is written. */
  private String provenance(List<String> inputs) {
    List<String> words = new ArrayList<>(List.of("weft", "ingest"));
    words.addAll(inputs);
    modes.forEach(mode -> words.addAll(List.of("--mode", mode)));
    if (append) {
      words.add("--append");
    }
    return String.join(" ", words);
  }
}
