package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Document;
import org.weft.jobs.workflow.RecordedNights;
import org.xml.sax.InputSource;

/** {@code weft report}: the page, its figures, and what a browser makes of it. */
class ReportCommandTest extends FolderCase {
  private static final List<String> BROWSERS =
      List.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");
  private static final Path PICTURES = Path.of("target", "report");

  private String model = "";

  /** Two blocks of users, items and weeks, the second a quarter of the first's sum of squares. */
  @BeforeEach
  void decompose() {
    StringBuilder entries = new StringBuilder();
    StringBuilder weeks = new StringBuilder();
    for (int week = 1; week <= 12; week++) {
      weeks.append(String.format("2024-W%02d%n", week));
      for (int i = 1; i <= 3; i++) {
        for (int u = 1; u <= 4; u++) {
          boolean first = week <= 6;
          entries.append(first ? u : u + 4).append(' ').append(first ? i : i + 3).append(' ');
          entries.append(week).append(first ? " 2\n" : " 1\n");
        }
      }
    }
    String tensor = Run.write(folder, "sales.tns", entries.toString());
    String labels = Run.write(folder, "weeks.txt", weeks.toString());
    String users =
        Run.write(
            folder, "users.txt", "Ann & <Bob>\nb\nc\nd\n\"e\"\nf\u00e9\ng\n\u0627\u0644\u0639\n");
    model = folder.resolve("model").toString();
    Run.line(
            "cpd %s --rank 2 --output %s --names user,item,week --labels 0=%s --labels "
                + "2=%s --tolerance 1e-9 --nonnegative --seed 5",
            tensor, model, users, labels)
        .succeeds();
  }

  private String page(String... more) {
    List<String> line = new ArrayList<>(List.of("report", model, path("out.html")));
    line.addAll(List.of(more));
    Run.of(line.toArray(String[]::new)).succeeds();
    return Run.read(path("out.html"));
  }

  @Test
  void thePageShowsTheComponentsAndNeedsNoNetwork() throws Exception {
    String page = page();
    assertThat(page)
        .contains("<h1>Components of sales.tns</h1>", "Component 0", "Component 1")
        .contains("80.0 % of variation", "20.0 % of variation")
        .contains("Ann &amp; &lt;Bob&gt;", "&quot;e&quot;", "f\u00e9", "\u0627\u0644\u0639")
        .contains("Weight by week, from 2024-W01 to 2024-W12")
        .contains("prefers-color-scheme: dark", "@media print")
        .contains("No two components overlap")
        .doesNotContain("http:", "https:", "<link", "@import", "src=", "<Bob>");
    assertThat(body(page).getElementsByTagName("article").getLength()).isEqualTo(2);
    assertThat(body(page).getElementsByTagName("h3").getLength()).isEqualTo(2);
  }

  /** The page is well-formed where it has to be: every section closed, every picture described. */
  private static Document body(String page) throws Exception {
    String body = page.substring(page.indexOf("<main>"), page.indexOf("</main>") + 7);
    Document parsed =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(body)));
    var pictures = parsed.getElementsByTagName("svg");
    for (int p = 0; p < pictures.getLength(); p++) {
      assertThat(pictures.item(p).getAttributes().getNamedItem("aria-label").getNodeValue())
          .isNotBlank();
      assertThat(pictures.item(p).getAttributes().getNamedItem("role").getNodeValue())
          .isEqualTo("img");
    }
    return parsed;
  }

  @Test
  void everySectionHasALinkAndEveryLinkATarget() {
    String page = page("--tensor", path("sales.tns"), "--beside", model);
    assertThat(all("<a href=\"#(\\w+)\"", page))
        .contains("components", "ranks", "residuals", "plan")
        .isEqualTo(all("<section id=\"(\\w+)\"", page));
  }

  private static List<String> all(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().map(found -> found.group(1)).toList();
  }

  @Test
  void theJsonHasTheFiguresOfThePage() throws IOException {
    page("--json", path("out.json"), "--count", "2");
    JsonNode figures = new ObjectMapper().readTree(folder.resolve("out.json").toFile());
    JsonNode first = figures.path("components").get(0);
    assertThat(first.path("share").asDouble()).isCloseTo(0.8, within(1e-4));
    assertThat(figures.path("components").get(1).path("share").asDouble())
        .isCloseTo(0.2, within(1e-4));
    assertThat(first.path("strongest").get(0)).hasSize(2);
    assertThat(first.at("/lines/2/weights")).hasSize(12);
    assertThat(figures.at("/overlap/0/1").asDouble()).isCloseTo(0, within(1e-4));
    assertThat(figures.path("fits").size()).isPositive();
    assertThat(figures.at("/modes/2/time").asBoolean()).isTrue();
    assertThat(figures.at("/modes/1/time").asBoolean()).isFalse();
  }

  @Test
  void residualsOtherRanksAndThePlanHaveSections() throws Exception {
    String other = path("rank1");
    Run.of("cpd", path("sales.tns"), "--rank", "1", "--output", other, "--seed", "1").succeeds();
    String page =
        page("--tensor", path("sales.tns"), "--beside", other, "--json", path("out.json"));
    assertThat(page)
        .contains("Residuals and outliers", "Slices of user with the largest squared error")
        .contains("Fit by rank, from rank 1 to rank 2", "Roofline: 3 steps below");
    body(page);
    JsonNode figures = new ObjectMapper().readTree(folder.resolve("out.json").toFile());
    assertThat(figures.at("/outliers/relativeError").asDouble()).isCloseTo(0, within(1e-3));
    assertThat(figures.at("/outliers/entries").asLong()).isEqualTo(144);
    assertThat(figures.at("/rank_scan/0/rank").asInt()).isEqualTo(1);
    assertThat(figures.path("steps")).hasSize(3);
    assertThat(figures.at("/steps/0/skew").asDouble()).isGreaterThanOrEqualTo(1);
    assertThat(Run.of("report", model, path("x.html"), "--tensor", path("weeks.tns")).err())
        .contains("WEFT-105");
    String small = Run.write(folder, "small.tns", "1 1 1 1\n");
    assertThat(Run.of("report", model, path("x.html"), "--tensor", small).err())
        .contains("WEFT-103", "expected the model's tensor of 8 x 6 x 12, found 1 x 1 x 1");
  }

  @Test
  void componentsThatAreZeroAreSaidNotDrawn() {
    StringBuilder text = new StringBuilder();
    for (int cell = 0; cell < 60; cell++) {
      text.append(cell % 5 + 1).append(' ').append(cell / 5 + 1).append(" 4\n");
    }
    String flat = Run.write(folder, "flat.tns", text.toString());
    Run.of("complete", flat, "--rank", "2", "--ridge", "10", "--output", path("flat")).succeeds();
    Run.of("report", path("flat"), path("flat.html")).succeeds();
    assertThat(Run.read(path("flat.html")))
        .contains("All 2 components are zero, so no two of them overlap. Every cell is the mean")
        .doesNotContain("fuller the colour");
  }

  @Test
  void aMirroredComponentHasNoCardOfItsOwn() throws Exception {
    String tensor = Run.write(folder, "parts.tns", "1 1 2 3\n1 1 3 3\n2 2 1 2\n3 2 1 2\n");
    String parts = path("parts");
    Run.line(
            "cpd %s --rank 2 --output %s --names part,relation,whole --tolerance 1e-9 "
                + "--nonnegative --seed 2",
            tensor, parts)
        .succeeds();
    Run.of("report", parts, path("parts.html")).succeeds();
    String page = Run.read(path("parts.html"));
    assertThat(page)
        .containsPattern(
            "With component [01], its mirror image: part and whole exchanged. Together")
        .contains("relation, of the mirror image");
    assertThat(body(page).getElementsByTagName("article").getLength()).isEqualTo(1);
  }

  @Test
  void aPointerNamesTheModel() throws IOException {
    Run.of("publish", model, path("current")).succeeds();
    Run.of("report", path("current"), path("p.html")).succeeds();
    assertThat(Run.read(path("p.html"))).contains("Component 1");
  }

  /** A page of a tensor of order 5 whose labels have many letters, in several directions. */
  private String pageOfLongLabels(String... command) {
    List<String> words =
        List.of(
            "x",
            "\u0627\u0644\u0645\u0644\u0627\u062d\u0629 \u0627\u0644\u0628\u062d\u0631\u064a\u0629",
            "a long label of many words that goes on and on",
            "a_long_label_without_any_place_where_a_line_could_end",
            "\u00dcberschallgeschwindigkeitsmessger\u00e4tehersteller");
    StringBuilder entries = new StringBuilder();
    for (int e = 0; e < 400; e++) {
      entries.append(1 + e % 5).append(' ').append(1 + e / 5 % 7).append(' ');
      entries.append(1 + e / 3 % 4).append(' ').append(1 + e / 7 % 3).append(' ');
      entries.append(1 + e / 11 % 9).append(' ').append(1 + e * e % 13).append("00000\n");
    }
    String tensor = Run.write(folder, "long.tns", entries.toString());
    List<String> line = new ArrayList<>(List.of(command));
    line.addAll(1, List.of(tensor, "--output", path("long"), "--seed", "1"));
    line.addAll(List.of("--names", "who is it,where,what,m,month of the year"));
    int[] sizes = {5, 7, 4, 3, 9};
    for (int mode = 0; mode < sizes.length; mode++) {
      StringBuilder labels = new StringBuilder();
      for (int i = 0; i < sizes[mode]; i++) {
        labels.append(words.get((i + mode) % words.size())).append(' ').append(i).append('\n');
      }
      String file = Run.write(folder, "labels" + mode + ".txt", labels.toString());
      line.addAll(List.of("--labels", mode + "=" + file));
    }
    Run.of(line.toArray(String[]::new)).succeeds();
    Run.of("report", path("long"), path("long.html"), "--tensor", tensor).succeeds();
    return Run.read(path("long.html"));
  }

  @Test
  void thePageShowsTheIterationsOfEveryStart() throws Exception {
    String page = pageOfLongLabels("cpd", "--rank", "3", "--starts", "3");
    assertThat(page).contains(">the best</text>", ">other starts</text>");
    assertThat(all("<polyline points=\"([^\"]+)\" stroke-width=\"1\" ", section(page)))
        .as("thin lines of two starts, for wide and for narrow screens")
        .hasSize(4);
    assertThat(all("<polyline points=\"([^\"]+)\" stroke-width=\"2\" ", section(page))).hasSize(2);
    assertThat(section(page())).doesNotContain("the best</text>");
  }

  /** With the seed of the best start alone the same model is made again. */
  @Test
  void thePageNamesTheSeedOfTheBestStart() throws Exception {
    pageOfLongLabels("cpd", "--rank", "3", "--starts", "5");
    JsonNode summary = new ObjectMapper().readTree(folder.resolve("long/summary.json").toFile());
    JsonNode best = summary.get("starts").get(0);
    for (JsonNode start : summary.get("starts")) {
      best = start.get("fit").asDouble() > best.get("fit").asDouble() ? start : best;
    }
    assertThat(best.get("seed").asInt())
        .as("a case in which the first is not the best")
        .isNotEqualTo(1);
    assertThat(Run.read(path("long.html")))
        .contains(best.get("seed").asText() + ", the best of 5 starts from seed 1<");
  }

  private static String section(String page) {
    int from = page.indexOf("<section id=\"convergence\"");
    return page.substring(from, page.indexOf("</section>", from));
  }

  /** A shell takes the command of a page as it was, and labels keep their own directions. */
  @Test
  void thePageQuotesWhatAShellWouldTakeApart() throws Exception {
    String page = pageOfLongLabels("tucker", "--ranks", "2,2,2,2,2");
    assertThat(page)
        .contains("'who is it,where,what,m,month of the year'")
        .contains("</bdi> / <bdi>");
    body(page);
  }

  @Test
  void timesOfARunAreNotBrokenInsideOfADate() throws IOException {
    assertThat(all("<dd><span class=\"unbroken\">([\\d-]+T)</span><wbr/>", pageOfARun()))
        .hasSize(2);
  }

  private String pageOfARun(String... more) throws IOException {
    String state = RecordedNights.in(folder);
    List<String> line = new ArrayList<>(List.of("report", state, path("run.html")));
    line.addAll(List.of(more));
    Run.of(line.toArray(String[]::new)).succeeds();
    return Run.read(path("run.html"));
  }

  @Test
  void aRunOfAWorkflowHasAPage() throws Exception {
    String page = pageOfARun("--json", path("run.json"));
    assertThat(page)
        .contains("<h1>Run of nightly</h1>", "with status 1.", "day=d1")
        .contains(
            "class=\"failed\">failed</td>", "needs model", "fail 1 9 &#39;".replace("&#39;", "'"))
        .contains("a-long-name-of-a-file-of-one-day-d1", "says join", "<details open=\"\">")
        .doesNotContain("http:", "https:", "<b>", "NaN");
    assertThat(body(page).getElementsByTagName("section").getLength()).isEqualTo(5);
    JsonNode figures = new ObjectMapper().readTree(folder.resolve("run.json").toFile());
    assertThat(figures.path("failed").asBoolean()).isTrue();
    assertThat(figures.path("runs")).hasSize(2);
    assertThat(figures.at("/steps/1/attempts").asInt()).isEqualTo(2);
    assertThat(figures.at("/steps/0/outputs/0/bytes").asInt()).isEqualTo(1);
    String first = figures.at("/runs/0/id").asText();
    String nights = path("nights");
    assertThat(Run.of("report", nights, path("first.html"), "--run", first).out())
        .contains("run " + first, "with status 0");
    assertThat(Run.read(path("first.html"))).contains("day=d0").doesNotContain("day=d1");
    assertThat(Run.of("report", nights, path("x.html"), "--run", "none").err())
        .contains("WEFT-105", "expected run none of the workflow, found " + first);
    assertThat(Run.of("report", nights, path("x.html"), "--beside", model).err())
        .contains("neither --tensor nor --beside");
    assertThat(Run.of("report", model, path("x.html"), "--run", "r").err())
        .contains("expected the state folder of a workflow with --run");
  }

  @Test
  void whatCannotBeWrittenIsRefusedAndAnOutputStays() {
    page();
    assertThat(Run.of("report", model, path("out.html")).err()).contains("WEFT-104");
    Run.of("report", model, path("out.html"), "--overwrite").succeeds();
    assertThat(Run.of("report", model, path("out.pdf")).err()).contains("ends in .html");
    assertThat(Run.of("report", path("none"), path("x.html")).err()).contains("WEFT-105");
  }

  /** What the browser is to find: how wide the page is, and what cannot be read or is cut. */
  private static final String PROBE =
      """
      <script>
      const faults = new Set();
      const name = element => element.closest("section").id + " " + element.tagName;
      for (const text of document.querySelectorAll("svg text")) {
        if (text.getClientRects().length === 0) continue; // of a chart for other widths
        const { a, b } = text.getScreenCTM();
        const size = parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b);
        if (size < (PAPER ? 9 : 11)) faults.add("small " + name(text));
      }
      const meet = (a, b) => a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom;
      for (const svg of document.querySelectorAll("svg")) {
        const all = svg.getBoundingClientRect();
        const texts = [...svg.querySelectorAll("text")].map(text => text.getBoundingClientRect());
        if (texts.some(t => t.left < all.left - 1 || t.right > all.right + 1 || t.bottom > all.bottom)) faults.add("out " + name(svg));
        if (texts.some((a, n) => texts.slice(n + 1).some(b => meet(a, b)))) faults.add("texts " + name(svg));
        const lines = [...svg.querySelectorAll("article line")].map(line => line.getBoundingClientRect());
        if (texts.some(a => lines.some(b => meet(a, b)))) faults.add("line " + name(svg));
      }
      for (const element of document.querySelectorAll("main *")) {
        const style = getComputedStyle(element);
        if (parseFloat(style.fontSize) < 10.5 && !element.closest("svg")) faults.add("small " + name(element));
        const scrolls = !PAPER && element.closest(".wide");
        if (element.getBoundingClientRect().right > innerWidth && !scrolls) faults.add("wide " + name(element));
      }
      if (PAPER) {
        for (const whole of document.querySelectorAll("article, figure, table, dl, main p")) {
          if (getComputedStyle(whole).breakInside !== "avoid") faults.add("cut " + name(whole));
          if (whole.offsetHeight > 900) faults.add("high " + name(whole));
        }
        for (const first of document.querySelectorAll("h2, h3, h4, h2 + p")) {
          if (getComputedStyle(first).breakAfter !== "avoid") faults.add("left " + name(first));
        }
        for (const control of document.querySelectorAll("nav, input, summary")) {
          if (control.checkVisibility()) faults.add("useless " + control.tagName);
        }
      }
      document.title = document.documentElement.scrollWidth + " of " + document.documentElement.clientWidth
        + ["", ...faults].join("; ");
      </script>
      """;

  /** Where a page is looked at: a screen, a telephone and paper, by their widths. */
  private static final Map<String, Integer> SIGHTS =
      Map.of("desktop", 1200, "narrow", 400, "paper", 794);

  /**
   * Nothing is wider than the window or too small to read, in light and dark, on a screen, a
   * telephone and paper; on paper nothing is cut, and headings stay with what they name.
   */
  @ParameterizedTest
  @CsvSource({"model,false", "model,true", "long,true", "tucker,false", "run,true"})
  void aBrowserShowsItWithoutScrollingSideways(String name, boolean dark) throws Exception {
    String browser =
        BROWSERS.stream().filter(path -> Files.isExecutable(Path.of(path))).findFirst().orElse("");
    Assumptions.assumeTrue(!browser.isEmpty(), "no browser in " + BROWSERS);
    String shown =
        switch (name) {
          case "run" -> pageOfARun();
          case "long" -> pageOfLongLabels("cpd", "--rank", "3", "--starts", "3");
          case "tucker" -> pageOfLongLabels("tucker", "--ranks", "3,4,2,2,3");
          default -> page("--tensor", path("sales.tns"));
        };
    // A window of a browser is at least 500 wide: the page is measured in frames, in one browser.
    StringBuilder frames = new StringBuilder("<body style=\"margin:0\">");
    for (Map.Entry<String, Integer> sight : SIGHTS.entrySet()) {
      boolean paper = sight.getKey().equals("paper");
      String probe = PROBE.replace("PAPER", "" + paper) + "</body>";
      String page = paper ? shown.replace("@media print", "@media all") : shown;
      Files.writeString(folder.resolve(sight.getKey() + ".html"), page.replace("</body>", probe));
      frames.append(
          """
          <iframe id="NAME" style="border:0;width:WIDTHpx;height:2400px" src="NAME.html"></iframe>
          <script>NAME.onload = () => document.body.dataset.NAME = NAME.contentDocument.title;</script>
          """
              .replace("NAME", sight.getKey())
              .replace("WIDTH", "" + sight.getValue()));
    }
    Path frame = Files.writeString(folder.resolve("frame.html"), frames);
    Files.createDirectories(PICTURES);
    String picture =
        PICTURES.resolve(name + (dark ? "-dark" : "") + ".png").toAbsolutePath().toString();
    List<String> line =
        new ArrayList<>(
            List.of(
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
                "--allow-file-access-from-files",
                "--hide-scrollbars",
                "--user-data-dir=" + path("profile"),
                "--window-size=2450,2400",
                "--virtual-time-budget=2000",
                "--dump-dom",
                "--screenshot=" + picture));
    if (dark) {
      line.add("--blink-settings=preferredColorScheme=0");
    }
    line.add(frame.toUri().toString());
    Path out = folder.resolve("dom.txt");
    Process process =
        new ProcessBuilder(line)
            .redirectErrorStream(false)
            .redirectOutput(out.toFile())
            .redirectError(folder.resolve("browser.log").toFile())
            .start();
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    String found = Run.read(out.toString());
    SIGHTS.forEach(
        (sight, width) ->
            assertThat(found).contains("data-%s=\"%d of %d\"".formatted(sight, width, width)));
    assertThat(Path.of(picture)).isNotEmptyFile();
  }
}
