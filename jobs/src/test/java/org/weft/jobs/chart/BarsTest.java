package org.weft.jobs.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class BarsTest {
  private static List<String> all(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().map(found -> found.group(1)).toList();
  }

  private static Bars ratios(double... values) {
    Bars bars = Bars.ofRatios("ratio").series("faster", "slower");
    for (double value : values) {
      bars.row("row", value >= 1 ? "faster" : "slower", value, "" + value);
    }
    return bars;
  }

  /** One colour has one meaning in all charts of a page, whichever row is the first. */
  @Test
  void statedSeriesKeepTheirColours() {
    String slow = all("circle[^>]*fill=\"(#\\w+)\"", ratios(0.7, 2).svg()).get(1);
    assertThat(all("circle[^>]*fill=\"(#\\w+)\"", ratios(2, 0.7).svg()).get(1)).isEqualTo(slow);
    assertThat(all("rect[^>]*fill=\"(#\\w+)\"", ratios(0.7).svg())).contains(slow);
    assertThat(ratios(2, 3).svg()).doesNotContain("slower", "circle");
  }

  /** Ratios that are all above 1 need no half of a chart below it. */
  @Test
  void theAxisOfRatiosEndsWhereTheyDo() {
    assertThat(all(">([0-9.]+) x<", ratios(1.1, 3.4).svg())).containsExactly("0.5", "1", "2", "5");
    assertThat(all(">([0-9.]+) x<", ratios(0.3).svg())).containsExactly("0.2", "0.5", "1", "2");
  }

  /** A label of two lines stands beside both of its rows and does not drive them apart. */
  @Test
  void rowsOfOneLabelStayTogether() {
    String label = "a label that takes two lines ".repeat(3).strip();
    Bars pair = Bars.of("x").row(label, "a", 1, "one").row("", "b", 2, "two");
    Bars alone = Bars.of("x").row(label, "a", 1, "one").gap().row("c", "b", 2, "two");
    assertThat(distance(pair)).isEqualTo(18);
    assertThat(distance(alone)).isEqualTo(18 + 16 + 8);
  }

  private static double distance(Bars bars) {
    List<String> at = all("y=\"([0-9.]+)\" text-anchor=\"start\"[^>]*>(?:one|two)<", bars.svg());
    return Double.parseDouble(at.get(1)) - Double.parseDouble(at.get(0));
  }
}
