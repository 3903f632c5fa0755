package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.storage.FileAccess;
import org.weft.storage.InputPlan;
import org.weft.storage.Labels;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;

/** {@code weft ingest} and {@code weft top} on Spark in this process, with small tables. */
class IngestCommandTest {
  @TempDir Path folder;
  private final List<String> settings = new ArrayList<>();

  private void set(String name, String value) {
    settings.add(name);
    System.setProperty(name, value);
  }

  /** One session for all tests; results of a job are a quarter of the labels of the largest. */
  @BeforeEach
  void startSpark() {
    SparkSession.builder()
        .master("local[2,2]") // a task has a second attempt
        .config("spark.driver.host", "localhost")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.maxResultSize", "1m")
        .config("spark.sql.warehouse.dir", "target/spark-warehouse")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.codegen.wholeStage", "false") // compiling would take most of the time
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .getOrCreate();
  }

  @AfterAll
  static void stopSpark() {
    var session = SparkSession.getDefaultSession();
    if (session.isDefined()) {
      session.get().stop();
    }
  }

  @AfterEach
  void reset() {
    settings.forEach(System::clearProperty);
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private Run ingest(String... arguments) {
    List<String> all = new ArrayList<>(List.of("ingest"));
    all.addAll(List.of(arguments));
    all.addAll(List.of("--partitions", "3"));
    return Run.of(all.toArray(String[]::new));
  }

  private static Run ok(Run run) {
    assertThat(run.status()).as(run.err()).isZero();
    return run;
  }

  /** The entries of a container by their labels: {@code a|b=1.0}. */
  private Map<String, Double> entries(String container) {
    FileAccess files = FileAccess.local();
    InputPlan plan = TensorFiles.open(files, path(container), ReadOptions.defaults());
    Map<Integer, Labels> labels = TensorFiles.labels(files, path(container));
    Map<String, Double> entries = new TreeMap<>();
    TensorFiles.readAll(files, plan)
        .blocks()
        .forEach(
            block -> {
              for (int e = 0; e < block.size(); e++) {
                List<String> at = new ArrayList<>();
                for (int mode = 0; mode < block.order(); mode++) {
                  at.add(labels.get(mode).label(block.coordinate(mode, e)));
                }
                assertThat(entries.put(String.join("|", at), block.value(e))).isNull();
              }
            });
    return entries;
  }

  private List<String> labels(String container, int mode) {
    return TensorFiles.labels(FileAccess.local(), path(container)).get(mode).toList();
  }

  private static final String SALES =
      """
      shop,article,sold,price
      B,"x, ""new""\",2024-01-01,1.5
      A,z,2024-01-08 10:00,2
      B,"x, ""new""\",2024-01-07T23:59:59Z,2.5

      C,,2024-01-02,1
      C,q,yesterday,1
      C,q,2024-01-01,abc
      A,b
      Ä,z,2023-12-31,1e2
      """;

  @Test
  void csvWithTimesQuotesMissingCellsAndRejects() {
    Run.write(folder, "s.csv", SALES);
    String[] asked = {
      path("s.csv"),
      path("s.weft"),
      "--mode",
      "shop",
      "--mode",
      "article",
      "--mode",
      "week=sold:week",
      "--value",
      "price"
    };
    Run refused = ingest(asked);
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err())
        .contains("WEFT-300", "s.csv:6: column article: missing", "found 4", "--rejects");
    assertThat(Run.names(folder)).containsExactly("s.csv");
    List<String> more = new ArrayList<>(List.of(asked));
    more.addAll(List.of("--rejects", path("r.csv")));
    Run run = ok(ingest(more.toArray(String[]::new)));
    assertThat(run.out())
        .contains("rows        8", "rejected    4", "1 x column price: expected a number")
        .contains("3 x 2 x 3, 3 entries");
    assertThat(entries("s.weft"))
        .isEqualTo(
            Map.of("B|x, \"new\"|2024-W01", 4.0, "A|z|2024-W02", 2.0, "Ä|z|2023-W52", 100.0));
    assertThat(labels("s.weft", 0)).containsExactly("A", "B", "Ä");
    assertThat(labels("s.weft", 2)).containsExactly("2023-W52", "2024-W01", "2024-W02");
    String file = path("s.csv");
    assertThat(Run.read(path("r.csv")).lines())
        .containsExactly(
            "file,line,column,reason,record",
            file + ",6,article,missing,\"C,,2024-01-02,1\"",
            file + ",7,sold,\"expected a time, found 'yesterday'\",\"C,q,yesterday,1\"",
            file + ",8,price,\"expected a number, found 'abc'\",\"C,q,2024-01-01,abc\"",
            file + ",9,,expected 4 cells,\"A,b\"");
    more.addAll(List.of("--max-rejects", "3", "--overwrite"));
    Run tooMany = ingest(more.toArray(String[]::new));
    assertThat(tooMany.status()).isEqualTo(2);
    assertThat(tooMany.err()).contains("expected at most 3", "no tensor is written");
    assertThat(Run.names(folder.resolve("s.weft"))).containsExactly("data", "manifest-1.json");
    assertThat(Run.names(folder)).containsExactly("r.csv", "s.csv", "s.weft");
  }

  @Test
  void linesAreNumberedInFilesOfSeveralSplits() throws IOException {
    StringBuilder text = new StringBuilder("k,v\n");
    for (int n = 2; n < 4000; n++) {
      text.append(n == 3500 ? "bad,x\n" : "k" + n % 7 + ",1\n");
    }
    Files.createDirectory(folder.resolve("in"));
    Run.write(folder.resolve("in"), "a.csv", text.toString());
    Run.write(folder.resolve("in"), "b.csv", "k,v\nbad,y\nk1,\"2\n3\"\n");
    set("spark.hadoop.mapreduce.input.fileinputformat.split.maxsize", "3000");
    ok(
        ingest(
            path("in"),
            path("x.weft"),
            "--format",
            "csv",
            "--mode",
            "k",
            "--mode",
            "v",
            "--value",
            "v",
            "--rejects",
            path("r.csv"),
            "--column",
            "w=1"));
    assertThat(Run.read(path("r.csv")))
        .contains("a.csv,3500,v,\"expected a number, found 'x'\"")
        .contains("b.csv,2,v,\"expected a number, found 'y'\"")
        .contains("b.csv,4,,expected 2 cells,\"3\"\"\"");
    Run.write(folder.resolve("in"), "c.csv", "v,k\n1,2\n");
    Run other = ingest(path("in"), path("y.weft"), "--format", "csv", "--mode", "k", "--mode", "v");
    assertThat(other.err()).contains("WEFT-300", "c.csv:1: expected the same header line");
    Run.write(folder, "q.csv", "k,v\na,\"2\n3\"\nb,1\n");
    ok(
        ingest(
            path("q.csv"),
            path("q.weft"),
            "--quoted-lines",
            "--mode",
            "k",
            "--column",
            "n=length(v)",
            "--mode",
            "n:number"));
    assertThat(entries("q.weft")).isEqualTo(Map.of("a|3", 1.0, "b|1", 1.0));
  }

  @Test
  void jsonLinesTextAndParquetGiveTheSame() throws IOException {
    Run.write(
        folder,
        "e.jsonl",
        """
        {"who": "ann", "size": 5, "at": 1704067200}
        {"who": "bob", "size": 17.5, "at": 1704070800, "tags": ["x"]}
        {"who": "ann", "size": 7, "at": 1704067260}
        {"who": "eve", "size": 0, "at": 1704153600}
        {"who":
        """);
    List<String> modes =
        List.of(
            "--mode",
            "who",
            "--mode",
            "size:log2",
            "--mode",
            "hour=at:hour-of-day",
            "--time-format",
            "epoch",
            "--time-zone",
            "Europe/Berlin",
            "--max-rejects",
            "1");
    List<String> json = new ArrayList<>(List.of(path("e.jsonl"), path("j.weft")));
    json.addAll(modes);
    assertThat(ok(ingest(json.toArray(String[]::new))).out())
        .contains("1 x expected a JSON object");
    Map<String, Double> expected =
        Map.of("ann|[4,8)|01", 2.0, "bob|[16,32)|02", 1.0, "eve|0|01", 1.0);
    assertThat(entries("j.weft")).isEqualTo(expected);
    assertThat(labels("j.weft", 1)).containsExactly("0", "[4,8)", "[16,32)");
    Run.write(
        folder,
        "e.log",
        "ann 5 1704067200\nbob 17.5 1704070800\nann 7 1704067260\neve 0 1704153600\n?\n");
    List<String> text =
        new ArrayList<>(
            List.of(
                path("e.log"),
                path("t.weft"),
                "--format",
                "text",
                "--pattern",
                "(?<who>\\w+) (?<size>\\S+) (?<at>\\d+)"));
    text.addAll(modes);
    ok(ingest(text.toArray(String[]::new)));
    assertThat(entries("t.weft")).isEqualTo(expected);
    SparkSession.active()
        .sql(
            "SELECT * FROM VALUES ('ann', 5D, 1704067200L), ('bob', 17.5D, 1704070800L),"
                + " ('ann', 7D, 1704067260L), ('eve', 0D, 1704153600L), ('eve', -1D, 0L)"
                + " AS t(who, size, at)")
        .coalesce(1)
        .write()
        .parquet(path("e.parquet"));
    List<String> parquet = new ArrayList<>(List.of(path("e.parquet"), path("p.weft")));
    parquet.addAll(modes);
    parquet.addAll(List.of("--rejects", path("r.csv")));
    ok(ingest(parquet.toArray(String[]::new)));
    assertThat(entries("p.weft")).isEqualTo(expected);
    assertThat(Run.read(path("r.csv")))
        .contains(".parquet,5,size,\"expected a number from 0", "\"who=eve, size=-1.0, at=0\"");
  }

  @Test
  void duplicatesRareLabelsAndMissingCells() {
    Run.write(
        folder,
        "d.tsv",
        "u\tw\tx\n"
            + "a\tp\t1\na\tp\t3\na\tq\t2\nb\tp\t4\nb\tq\t8\nc\tp\t1\nc\tr\t1\n\tq\t5\n\tp\t6\n");
    // r occurs once; without it c occurs once; (none), a and b stay.
    Run run =
        ok(
            ingest(
                path("d.tsv"),
                path("d.weft"),
                "--mode",
                "u",
                "--mode",
                "w",
                "--value",
                "x",
                "--missing",
                "(none)",
                "--min-count",
                "u=2",
                "--min-count",
                "w=2",
                "--reproducible"));
    assertThat(run.out()).contains("2 rows dropped with their labels, in 3 round(s)");
    assertThat(entries("d.weft"))
        .isEqualTo(
            Map.of(
                "(none)|p", 6.0, "(none)|q", 5.0, "a|p", 4.0, "a|q", 2.0, "b|p", 4.0, "b|q", 8.0));
    assertThat(labels("d.weft", 0)).containsExactly("(none)", "a", "b");
    ok(
        ingest(
            path("d.tsv"),
            path("d.weft"),
            "--overwrite",
            "--mode",
            "w",
            "--mode",
            "u",
            "--value",
            "x",
            "--missing",
            "(none)",
            "--aggregate",
            "mean",
            "--transform",
            "sqrt"));
    assertThat(entries("d.weft")).hasSize(8).containsEntry("p|a", Math.sqrt(2));
    Run none =
        ingest(
            path("d.tsv"),
            path("n.weft"),
            "--mode",
            "u",
            "--mode",
            "w",
            "--missing",
            "-",
            "--min-count",
            "u=9");
    assertThat(none.err()).contains("WEFT-300", "too rare");
    assertThat(Run.names(folder)).containsExactly("d.tsv", "d.weft");
  }

  @Test
  void longNumbersDoNotFallTogether() {
    Run.write(
        folder, "n.csv", "id\n9007199254740993\n9007199254740992\n1e300\n-9007199254740994\n");
    Run refused = ingest(path("n.csv"), path("n.weft"), "--mode", "id:number");
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err())
        .contains("n.csv:2: column id", "that a double holds", "9007199254740993");
    ok(ingest(path("n.csv"), path("n.weft"), "--mode", "id"));
    assertThat(labels("n.weft", 0)).hasSize(4);
    ok(
        ingest(
            path("n.csv"),
            path("m.weft"),
            "--mode",
            "id:number",
            "--where",
            "id <> '9007199254740993'"));
    assertThat(labels("m.weft", 0)).hasSize(3);
  }

  @Test
  void wrongUseIsOneClearError() {
    Run.write(folder, "a.csv", "k,v\na,1\n");
    String in = path("a.csv");
    String out = path("o.weft");
    assertThat(ingest(in, path("o.tns"), "--mode", "k").err()).contains("WEFT-100", ".weft");
    assertThat(ingest(path("x.csv"), out, "--mode", "k").err()).contains("WEFT-105", "x.csv");
    assertThat(ingest(in, out, "--mode", "k", "--mode", "v:fortnight").err())
        .contains("WEFT-100", "column of k, v, found 'v:fortnight'", "log2");
    assertThat(ingest(in, out, "--mode", "k", "--column", "n=lenght(v)", "--mode", "n").err())
        .contains("WEFT-100", "Spark refuses", "lenght");
    assertThat(ingest(in, out, "--mode", "k", "--mode", "k=v").err()).contains("two of name k");
    assertThat(ingest(in, out, "--mode", "k", "--min-count", "v=2").err())
        .contains("--min-count of a mode (k), found v");
    assertThat(ingest(path("a.bin"), out, "--mode", "k").err()).contains("or --format");
    assertThat(ingest(in, out, "--mode", "k", "--dry-run").out()).contains("would read");
    assertThat(ingest(in, out, "--mode", "nobody", "--dry-run").err())
        .contains("WEFT-100", "nobody");
    assertThat(ingest(path("x.csv"), out, "--mode", "k", "--dry-run").err()).contains("WEFT-105");
    assertThat(ingest(in, out, "--mode", "k", "--where", "v >").err())
        .contains("WEFT-100", "Spark refuses the table: [PARSE_SYNTAX_ERROR]");
    Run unknown = ingest(in, out, "--mode", "k", "--format", "excel");
    assertThat(unknown.status()).isEqualTo(2);
    assertThat(unknown.err()).contains("WEFT-100", "excel");
    for (String format : List.of("parquet", "orc")) {
      Run other = ingest(in, out, "--mode", "k", "--format", format);
      assertThat(other.status()).as(format).isEqualTo(2);
      assertThat(other.err()).contains("WEFT-300", "a.csv");
    }
    assertThat(ingest(in, out, "--mode", "k", "--rejects", in, "--overwrite").err())
        .contains("WEFT-100", "another file than the input");
    assertThat(Run.read(in)).isEqualTo("k,v\na,1\n");
    assertThat(Run.names(folder)).containsExactly("a.csv");
  }

  /** A file system on which files that begin so cannot be made, or written to the end. */
  public static final class Failing extends RawLocalFileSystem {
    static volatile String name = "";
    static volatile String halfWritten = "-";
    static volatile Consumer<String> made = file -> {};

    private static FSDataOutputStream halfWay(FSDataOutputStream out) throws IOException {
      return new FSDataOutputStream(
          new java.io.FilterOutputStream(out) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
              out.write(bytes, offset, length / 2);
              throw new IOException("injected");
            }
          },
          null);
    }

    @Override
    public java.net.URI getUri() {
      return java.net.URI.create("failing:///");
    }

    @Override
    public String getScheme() {
      return "failing";
    }

    @Override
    public FSDataOutputStream createNonRecursive(
        org.apache.hadoop.fs.Path path,
        FsPermission permission,
        boolean overwrite,
        int bufferSize,
        short replication,
        long blockSize,
        Progressable progress)
        throws IOException {
      made.accept(path.getName());
      if (path.getName().startsWith(name)) {
        throw new IOException("injected");
      }
      FSDataOutputStream out =
          super.createNonRecursive(
              path, permission, overwrite, bufferSize, replication, blockSize, progress);
      boolean attempted = path.getName().matches(".*-0\\.\\d+-.*");
      return path.getName().startsWith(halfWritten) && !attempted ? halfWay(out) : out;
    }

    @Override
    public void initialize(java.net.URI uri, Configuration configuration) throws IOException {
      super.initialize(java.net.URI.create("file:///"), configuration);
    }
  }

  @Test
  void nothingIsLeftOfOneThatFails() {
    set("spark.hadoop.fs.failing.impl", Failing.class.getName());
    Run.write(folder, "s.csv", SALES);
    for (String name : List.of("labels1", "entries", "part")) {
      Failing.name = name;
      Run run =
          ingest(
              path("s.csv"),
              "failing:" + path("s.weft"),
              "--mode",
              "shop",
              "--mode",
              "article",
              "--rejects",
              "failing:" + path("r.csv"));
      assertThat(run.status()).as(name).isEqualTo(1);
      assertThat(run.err()).contains("WEFT-402", "injected");
      assertThat(Run.names(folder)).as(name).containsExactly("s.csv");
    }
  }

  @Test
  void aTaskThatFailsHalfWayIsRunAgainAndNothingDoubles() {
    set("spark.hadoop.fs.failing.impl", Failing.class.getName());
    Failing.name = "-";
    Run.write(folder, "s.csv", SALES);
    String[] asked = {path("s.csv"), "", "--mode", "shop", "--mode", "article", "--rejects", ""};
    asked[1] = path("whole.weft");
    asked[7] = path("whole.csv");
    ok(ingest(asked));
    for (String name : List.of("labels1", "entries")) {
      Failing.halfWritten = name;
      asked[1] = "failing:" + path(name + ".weft");
      asked[7] = "failing:" + path(name + ".csv");
      ok(ingest(asked));
      assertThat(entries(name + ".weft")).as(name).isEqualTo(entries("whole.weft")).isNotEmpty();
      assertThat(Run.read(path(name + ".csv"))).isEqualTo(Run.read(path("whole.csv")));
      List<String> whole = Run.names(folder.resolve("whole.weft/data/1"));
      List<String> again = Run.names(folder.resolve(name + ".weft/data/1"));
      assertThat(again).as("of the first attempts nothing stays").hasSameSizeAs(whole);
      assertThat(again.stream().filter(file -> file.startsWith(name)))
          .isNotEmpty()
          .allMatch(file -> file.contains("-0.1-"));
    }
    Failing.halfWritten = "-";
  }

  @Test
  void rejectsAppearOnlyWithTheirTensor() throws IOException {
    set("spark.hadoop.fs.failing.impl", Failing.class.getName());
    Failing.name = "-";
    Run.write(folder, "s.csv", SALES);
    Files.createDirectories(folder.resolve("s.weft"));
    String[] asked = {path("s.csv"), "failing:" + path("s.weft"), "--mode", "shop", "--mode"};
    List<String> all = new ArrayList<>(List.of(asked));
    all.addAll(List.of("article", "--rejects", "failing:" + path("r.csv")));
    // Somebody else's file is there when ours is about to be: rejects, then a manifest.
    Failing.made =
        file -> {
          if (file.startsWith("entries")) {
            Run.write(folder, "r.csv", "theirs");
          }
        };
    Run rejects = ingest(all.toArray(String[]::new));
    assertThat(rejects.status()).as(rejects.err()).isEqualTo(1);
    assertThat(rejects.err()).contains("r.csv", "WEFT-5");
    assertThat(Run.read(path("r.csv"))).isEqualTo("theirs");
    assertThat(Run.names(folder)).containsExactly("r.csv", "s.csv", "s.weft");
    assertThat(Run.names(folder.resolve("s.weft"))).isEmpty();
    Files.delete(folder.resolve("r.csv"));
    Failing.made =
        file -> {
          if (file.startsWith(".manifest")) {
            Run.write(folder.resolve("s.weft"), "manifest-1.json", "theirs");
          }
        };
    Run tensor = ingest(all.toArray(String[]::new));
    Failing.made = file -> {};
    assertThat(tensor.status()).as(tensor.err()).isEqualTo(1);
    assertThat(tensor.err()).contains("somebody else wrote version 1", "WEFT-5");
    assertThat(Run.names(folder)).containsExactly("s.csv", "s.weft");
    assertThat(Run.names(folder.resolve("s.weft"))).containsExactly("manifest-1.json");
  }

  @Test
  void orcTablesOfACatalogAndOtherSources() {
    SparkSession spark = SparkSession.active();
    spark
        .sql(
            "SELECT * FROM VALUES ('ann', 5D, timestamp'2024-01-01 23:30:00'),"
                + " ('bob', 2.5D, timestamp'2024-01-02 00:00:00'), ('ann', 1D, null),"
                + " (null, 1D, timestamp'2024-01-02 00:00:00') AS t(who, size, at)")
        .coalesce(1)
        .write()
        .orc(path("e.orc"));
    spark.sql("CREATE TABLE events USING orc OPTIONS (path '" + path("e.orc") + "')");
    Map<String, Double> expected = Map.of("ann|2024-01-01", 5.0, "bob|2024-01-02", 2.5);
    for (String input : List.of(path("e.orc"), "events", "default.events")) {
      List<String> asked =
          new ArrayList<>(List.of(input, path("o.weft"), "--overwrite", "--mode", "who"));
      asked.addAll(List.of("--mode", "at:day", "--value", "size", "--rejects", path("r.csv")));
      if (input.endsWith("events")) {
        asked.addAll(List.of("--format", "table"));
      }
      assertThat(ok(ingest(asked.toArray(String[]::new))).out())
          .contains("1 x column at: missing", "1 x column who: missing");
      assertThat(entries("o.weft")).as(input).isEqualTo(expected);
      assertThat(Run.read(path("r.csv")))
          .contains(input.endsWith(".orc") ? ".orc,,at,missing" : "\n,,at,missing")
          .contains("who=ann, at=null, size=1.0");
    }
    Run missing = ingest("nowhere", path("n.weft"), "--format", "table", "--mode", "who");
    assertThat(missing.status()).isEqualTo(2);
    assertThat(missing.err()).contains("WEFT-100", "nowhere", "Spark refuses the table");
    // A tensor is a table too.
    ok(
        ingest(
            path("o.weft"),
            path("w.weft"),
            "--format",
            "weft",
            "--option",
            "labels=true",
            "--mode",
            "month=at_label:month",
            "--mode",
            "who=who_label",
            "--value",
            "value"));
    assertThat(entries("w.weft")).isEqualTo(Map.of("2024-01|ann", 5.0, "2024-01|bob", 2.5));
    spark.sql("DROP TABLE events");
  }

  @Test
  void labelsDoNotPassThroughTheDriver() {
    StringBuilder text = new StringBuilder("user,item\n");
    Set<String> users = new HashSet<>();
    for (int n = 0; n < 40_000; n++) {
      String user = "a user with a long name ".repeat(5) + (n * 7919L % 40_000);
      users.add(user);
      text.append('"').append(user).append("\",i").append(n % 5).append('\n');
    }
    Run.write(folder, "u.csv", text.toString());
    ok(ingest(path("u.csv"), path("u.weft"), "--mode", "user", "--mode", "item"));
    List<String> labels = labels("u.weft", 0);
    assertThat(labels).isSorted().hasSameSizeAs(users);
    assertThat(new HashSet<>(labels)).isEqualTo(users);
    assertThat(entries("u.weft")).hasSize(40_000);
  }

  @Test
  void componentsShowTheirStrongestLabels() throws IOException {
    StringBuilder text = new StringBuilder("{\"n\":0}\n");
    for (int n = 0; n < 200; n++) {
      boolean fruit = n % 2 == 0;
      text.append(
          String.format(
              "{\"n\":%d,\"who\":\"%s%d\",\"what\":\"%s\",\"size\":%d}%n",
              fruit ? 5 : 2, fruit ? "cook" : "smith", n % 10, fruit ? "apple" : "iron", n % 3));
    }
    Run.write(folder, "w.jsonl", text.toString());
    ok(
        ingest(
            path("w.jsonl"),
            path("w.weft"),
            "--mode",
            "person=who",
            "--mode",
            "what",
            "--mode",
            "size:number",
            "--value",
            "n",
            "--max-rejects",
            "1"));
    stopSpark(); // cpd starts its own
    ok(
        Run.of(
            "cpd",
            path("w.weft"),
            "--rank",
            "2",
            "--seed",
            "3",
            "--nonnegative",
            "--reorder",
            "lexi",
            "--output",
            path("f"),
            "--master",
            "local[2]"));
    String top = ok(Run.of("top", path("f"), "--count", "3")).out();
    assertThat(top).contains("person", "what", "size", "lambda");
    String[] components = top.split("component ");
    assertThat(components).hasSize(3);
    assertThat(components[1]).contains("cook", "apple").doesNotContain("iron", "smith");
    assertThat(components[2]).contains("smith", "iron").doesNotContain("apple", "cook");
    JsonNode json =
        new ObjectMapper().readTree(ok(Run.of("top", path("f"), "--json", "--count", "1")).out());
    JsonNode heaviest = json.path("components").path(0);
    assertThat(heaviest.path("lambda").asDouble())
        .isGreaterThan(json.path("components").path(1).path("lambda").asDouble());
    assertThat(heaviest.path("modes").path(1).path("mode").asText()).isEqualTo("what");
    JsonNode label = heaviest.path("modes").path(1).path("labels").path(0);
    assertThat(label.path("label").asText()).isEqualTo("apple");
    assertThat(label.path("weight").asDouble()).isGreaterThan(0.99);
    assertThat(Run.of("top", path("none")).err()).contains("WEFT-105", "summary.json");
    assertThat(Run.of("top", path("f"), "--count", "0").status()).isEqualTo(2);
  }

  private String[] days(String input, String output, String... more) {
    List<String> all = new ArrayList<>(List.of(path(input), path(output)));
    all.addAll(List.of("--mode", "user", "--mode", "day=at:day", "--mode", "size=n:number"));
    all.addAll(List.of("--value", "v"));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  @Test
  void daysAreAddedByTheirLabelsAndOnce() {
    Run.write(folder, "1.csv", "user,at,n,v\nbob,2024-01-02,10,1\neve,2024-01-02,9,2\n");
    Run.write(
        folder,
        "2.csv",
        "user,at,n,v\nann,2024-01-01,10,4\neve,2024-01-02,9,8\neve,2024-01-03,1,16\n");
    assertThat(ok(ingest(days("1.csv", "x.weft", "--append", "--batch", "1"))).err())
        .contains("no tensor is there yet");
    ok(ingest(days("2.csv", "x.weft", "--append", "--batch", "2")));
    Map<String, Double> sums =
        Map.of(
            "bob|2024-01-02|10", 1.0,
            "eve|2024-01-02|9", 10.0,
            "ann|2024-01-01|10", 4.0,
            "eve|2024-01-03|1", 16.0);
    ok(Run.of("convert", path("x.weft"), path("sums.weft")));
    assertThat(entries("sums.weft")).isEqualTo(sums);
    assertThat(labels("x.weft", 0)).containsExactly("bob", "eve", "ann");
    assertThat(labels("x.weft", 1)).containsExactly("2024-01-02", "2024-01-01", "2024-01-03");
    assertThat(labels("x.weft", 2)).containsExactly("9", "10", "1");
    for (String batch : List.of("1", "2")) {
      assertThat(ok(ingest(days("2.csv", "x.weft", "--append", "--batch", batch))).out())
          .contains("batch " + batch + " is there already, in version 2");
    }
    Run.write(folder, "2b.csv", "user,at,n,v\nann,2024-01-01,10,5\n");
    ok(ingest(days("2b.csv", "x.weft", "--append", "--batch", "2", "--replace-batch")));
    assertThat(entries("x.weft"))
        .isEqualTo(
            Map.of("bob|2024-01-02|10", 1.0, "eve|2024-01-02|9", 2.0, "ann|2024-01-01|10", 5.0));
    assertThat(Run.names(folder.resolve("x.weft")))
        .containsExactly("data", "manifest-1.json", "manifest-2.json", "manifest-3.json");
  }

  @Test
  void daysAreAddedToAReorderedTensorAndToOneWithFewLabels() {
    Run.write(
        folder,
        "1.csv",
        "user,at,n,v\nbob,2024-01-02,10,1\neve,2024-01-02,9,2\nada,2024-01-05,9,3\n");
    Run.write(folder, "2.csv", "user,at,n,v\nann,2024-01-01,10,4\neve,2024-01-02,8,8\n");
    ok(ingest(days("1.csv", "plain.weft")));
    ok(Run.of("reorder", path("plain.weft"), path("x.weft"), "--method", "random:4"));
    ok(ingest(days("2.csv", "x.weft", "--append")));
    ok(ingest(days("2.csv", "plain.weft", "--append")));
    assertThat(entries("x.weft")).isEqualTo(entries("plain.weft")).hasSize(5);
    assertThat(labels("x.weft", 0)).containsExactly("ada", "bob", "eve", "ann");
  }

  @Test
  void whatDoesNotFitIsNotAdded() {
    Run.write(folder, "1.csv", "user,at,n,v\nbob,2024-01-02,10,1\n");
    ok(ingest(days("1.csv", "x.weft")));
    Run.write(folder, "u.tns", "1 1 1 1\n");
    ok(Run.of("convert", path("u.tns"), path("u.weft"), "--names", "user,day,size"));
    Run unlabelled = ingest(days("1.csv", "u.weft", "--append"));
    assertThat(unlabelled.status()).isEqualTo(2);
    assertThat(unlabelled.err())
        .contains("expected a tensor with labels", "none for user, day, size");
    String x = path("x.weft");
    Run order =
        ingest(
            path("1.csv"),
            x,
            "--mode",
            "day=at:day",
            "--mode",
            "user",
            "--mode",
            "size=n",
            "--append");
    assertThat(order.status()).isEqualTo(2);
    assertThat(order.err()).contains("the same in another order");
    Run fewer = ingest(path("1.csv"), x, "--mode", "user", "--append");
    assertThat(fewer.status()).isEqualTo(2);
    assertThat(fewer.err()).contains("expected entries with the modes user, day, size");
    assertThat(ingest(days("1.csv", "x.weft", "--append", "--overwrite")).err()).contains("both");
    assertThat(Run.names(folder.resolve("x.weft"))).containsExactly("data", "manifest-1.json");
  }

  @Test
  void labelsOfAnAppendDoNotPassThroughTheDriver() {
    for (int day = 0; day < 2; day++) {
      StringBuilder text = new StringBuilder("user,item\n");
      for (int n = 0; n < 20_000; n++) {
        String user = "a user with a long name ".repeat(5) + (n + day * 10_000);
        text.append('"').append(user).append("\",i").append(n % 5).append('\n');
      }
      Run.write(folder, day + ".csv", text.toString());
      ok(
          ingest(
              path(day + ".csv"), path("u.weft"), "--mode", "user", "--mode", "item", "--append"));
    }
    assertThat(labels("u.weft", 0)).hasSize(30_000).doesNotHaveDuplicates();
    assertThat(labels("u.weft", 1)).hasSize(5);
  }
}
