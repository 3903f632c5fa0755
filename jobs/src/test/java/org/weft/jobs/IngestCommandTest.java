package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code weft ingest} and {@code weft top}: what tables become. */
class IngestCommandTest extends IngestCase {
  private static final List<String> TIMED =
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
    ingest(asked).fails(2, "WEFT-300", "s.csv:6: column article: missing", "found 4", "--rejects");
    assertThat(Run.names(folder)).containsExactly("s.csv");
    List<String> more = new ArrayList<>(List.of(asked));
    more.addAll(List.of("--rejects", path("r.csv")));
    Run run = ingest(more.toArray(String[]::new)).succeeds();
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
    ingest(more.toArray(String[]::new)).fails(2, "expected at most 3", "no tensor is written");
    assertThat(Run.names(folder.resolve("s.weft"))).containsExactly("data", "manifest-1.json");
    assertThat(Run.names(folder)).containsExactly("r.csv", "s.csv", "s.weft");
  }

  @Tag("long")
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
            "w=1")
        .succeeds();
    assertThat(Run.read(path("r.csv")))
        .contains("a.csv,3500,v,\"expected a number, found 'x'\"")
        .contains("b.csv,2,v,\"expected a number, found 'y'\"")
        .contains("b.csv,4,,expected 2 cells,\"3\"\"\"");
    Run.write(folder.resolve("in"), "c.csv", "v,k\n1,2\n");
    Run other = ingest(path("in"), path("y.weft"), "--format", "csv", "--mode", "k", "--mode", "v");
    assertThat(other.err()).contains("WEFT-300", "c.csv:1: expected the same header line");
    Run.write(folder, "q.csv", "k,v\na,\"2\n3\"\nb,1\n");
    Run cut = ingest(path("q.csv"), path("q.weft"), "--mode", "k", "--mode", "v");
    assertThat(cut.err())
        .contains("q.csv:2: expected 2 cells", "have line ends, add --quoted-lines");
    ingest(
            path("q.csv"),
            path("q.weft"),
            "--quoted-lines",
            "--mode",
            "k",
            "--column",
            "n=length(v)",
            "--mode",
            "n:number")
        .succeeds();
    assertThat(entries("q.weft")).isEqualTo(Map.of("a|3", 1.0, "b|1", 1.0));
  }

  @Test
  void jsonLinesGiveWhatIsAskedFor() {
    jsonLines();
  }

  /** The entries of a table of lines of JSON, under {@link #TIMED}. */
  private Map<String, Double> jsonLines() {
    Run.write(
        folder,
        "e.jsonl",
        """
        {"who": "ann", "size": 5, "at": 1704067200}
        {"who": "bob", "size": 17.5, "at": 1704070800, "tags": ["x"]}
        {"who": "ann", "size": 7, "at": 1704067260}
        {"who": "eve", "size": 0, "at": 1704153600}
        {"who":
        {"who": "ann", "size": 5, "at": 1704067200} {"who": "bob", "size": 5, "at": 1704067200}
        """);
    List<String> json = new ArrayList<>(List.of(path("e.jsonl"), path("j.weft")));
    json.addAll(TIMED);
    json.set(json.size() - 1, "2"); // rejects
    assertThat(ingest(json.toArray(String[]::new)).succeeds().out())
        .contains("2 x expected a JSON object");
    Map<String, Double> expected =
        Map.of("ann|[4,8)|01", 2.0, "bob|[16,32)|02", 1.0, "eve|0|01", 1.0);
    assertThat(entries("j.weft")).isEqualTo(expected);
    assertThat(labels("j.weft", 1)).containsExactly("0", "[4,8)", "[16,32)");
    return expected;
  }

  @Tag("long")
  @Test
  void jsonLinesTextAndParquetGiveTheSame() {
    Map<String, Double> expected = jsonLines();
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
    text.addAll(TIMED);
    ingest(text.toArray(String[]::new)).succeeds();
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
    parquet.addAll(TIMED);
    parquet.addAll(List.of("--rejects", path("r.csv")));
    ingest(parquet.toArray(String[]::new)).succeeds();
    assertThat(entries("p.weft")).isEqualTo(expected);
    assertThat(Run.read(path("r.csv")))
        .contains(".parquet,5,size,\"expected a number from 0", "\"who=eve, size=-1.0, at=0\"");
  }

  @Tag("long")
  @Test
  void duplicatesRareLabelsAndMissingCells() {
    Run.write(
        folder,
        "d.tsv",
        "u\tw\tx\n"
            + "a\tp\t1\na\tp\t3\na\tq\t2\nb\tp\t4\nb\tq\t8\nc\tp\t1\nc\tr\t1\n\tq\t5\n\tp\t6\n");
    // r occurs once; without it c occurs once; (none), a and b stay.
    Run run =
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
                "--reproducible")
            .succeeds();
    assertThat(run.out()).contains("2 rows dropped with their labels, in 3 rounds");
    assertThat(entries("d.weft"))
        .isEqualTo(
            Map.of(
                "(none)|p", 6.0, "(none)|q", 5.0, "a|p", 4.0, "a|q", 2.0, "b|p", 4.0, "b|q", 8.0));
    assertThat(labels("d.weft", 0)).containsExactly("(none)", "a", "b");
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
            "sqrt")
        .succeeds();
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

  @Tag("long")
  @Test
  void longNumbersDoNotFallTogether() {
    Run.write(
        folder, "n.csv", "id\n9007199254740993\n9007199254740992\n1e300\n-9007199254740994\n");
    ingest(path("n.csv"), path("n.weft"), "--mode", "id:number")
        .fails(2, "n.csv:2: column id", "that a double holds", "9007199254740993");
    ingest(path("n.csv"), path("n.weft"), "--mode", "id").succeeds();
    assertThat(labels("n.weft", 0)).hasSize(4);
    ingest(
            path("n.csv"),
            path("m.weft"),
            "--mode",
            "id:number",
            "--where",
            "id <> '9007199254740993'")
        .succeeds();
    assertThat(labels("m.weft", 0)).hasSize(3);
  }

  @Test
  void aColumnThatIsNotThereIsAnsweredWithWhatMayHelp() {
    Run.write(folder, "names.csv", "Shop Name,\"Item, (SKU)\"\nann,1\n");
    Run.write(folder, "semicolons.csv", "shop;item\nann;1\n");
    Run.write(folder, "tabs.csv", "shop\titem\nann\t1\n");
    String out = path("o.weft");
    assertThat(ingest(path("names.csv"), out, "--mode", "shop").err())
        .contains("of 'Shop Name', 'Item, (SKU)', found 'shop'; did you mean 'Shop Name'?");
    assertThat(ingest(path("names.csv"), out, "--mode", "week").err())
        .endsWith("found 'week'" + System.lineSeparator());
    assertThat(ingest(path("semicolons.csv"), out, "--mode", "shop").err())
        .contains("found 'shop'; where ';' separates cells, add --option 'sep=;'");
    assertThat(ingest(path("tabs.csv"), out, "--mode", "shop").err())
        .contains("add --option 'sep=\\t'");
    ingest(path("tabs.csv"), out, "--mode", "shop", "--option", "sep=\\t").succeeds();
  }

  @Test
  void wrongUseIsOneClearError() {
    Run.write(folder, "a.csv", "k,v\na,1\n");
    String in = path("a.csv");
    String out = path("o.weft");
    assertThat(ingest(in, path("o.tns"), "--mode", "k").err()).contains("WEFT-100", ".weft");
    assertThat(ingest(path("x.csv"), out, "--mode", "k").err()).contains("WEFT-105", "x.csv");
    assertThat(ingest(in, out, "--mode", "k", "--mode", "v:fortnight").err())
        .contains("WEFT-100", "column of 'k', 'v', found 'v:fortnight'", "log2");
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
        .contains("WEFT-100", "Spark refuses --where 'v >': [PARSE_SYNTAX_ERROR]");
    ingest(in, out, "--mode", "k", "--format", "excel").fails(2, "WEFT-100", "excel");
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

  @Tag("long")
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
      assertThat(ingest(asked.toArray(String[]::new)).succeeds().out())
          .contains("1 x column at: missing", "1 x column who: missing");
      assertThat(entries("o.weft")).as(input).isEqualTo(expected);
      assertThat(Run.read(path("r.csv")))
          .contains(input.endsWith(".orc") ? ".orc,,at,missing" : "\n,,at,missing")
          .contains("who=ann, at=null, size=1.0");
    }
    ingest("nowhere", path("n.weft"), "--format", "table", "--mode", "who")
        .fails(2, "WEFT-100", "nowhere", "Spark refuses the table");
    // A tensor is a table too.
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
            "value")
        .succeeds();
    assertThat(entries("w.weft")).isEqualTo(Map.of("2024-01|ann", 5.0, "2024-01|bob", 2.5));
    spark.sql("DROP TABLE events");
  }

  @Tag("long")
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
    ingest(path("u.csv"), path("u.weft"), "--mode", "user", "--mode", "item").succeeds();
    List<String> labels = labels("u.weft", 0);
    assertThat(labels).isSorted().hasSameSizeAs(users);
    assertThat(new HashSet<>(labels)).isEqualTo(users);
    assertThat(entries("u.weft")).hasSize(40_000);
  }

  /** {@link org.weft.jobs.workflow.NightlyTest} decomposes what is ingested in every build. */
  @Tag("long")
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
            "1")
        .succeeds();
    stopSpark(); // cpd starts its own
    Run.line(
            "cpd %s --rank 2 --seed 3 --nonnegative --reorder lexi --output %s --master "
                + "local[2]",
            path("w.weft"), path("f"))
        .succeeds();
    String top = Run.of("top", path("f"), "--count", "3").succeeds().out();
    assertThat(top).contains("person", "what", "size", "lambda");
    String[] components = top.split("component ");
    assertThat(components).hasSize(3);
    assertThat(components[1]).contains("cook", "apple").doesNotContain("iron", "smith");
    assertThat(components[2]).contains("smith", "iron").doesNotContain("apple", "cook");
    JsonNode json =
        new ObjectMapper()
            .readTree(Run.of("top", path("f"), "--json", "--count", "1").succeeds().out());
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
}
