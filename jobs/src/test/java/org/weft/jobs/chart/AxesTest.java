package org.weft.jobs.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AxesTest {
  private static final Pattern TEXT =
      Pattern.compile("<text x=\"([0-9.]+)\" y=\"[0-9.]+\" text-anchor=\"(\\w+)\"[^>]*>([^<]*)<");

  private static String chart(String values) {
    List<Axes.Point> points = new ArrayList<>();
    for (String value : values.split(" ")) {
      points.add(new Axes.Point(points.size() + 1, Double.parseDouble(value), value));
    }
    return Axes.of("iteration", "fit").curve("fit", points).inPage(560);
  }

  private static List<String> labels(String chart, String anchor) {
    return TEXT.matcher(chart)
        .results()
        .filter(text -> text.group(2).equals(anchor))
        .map(text -> text.group(3))
        .toList();
  }

  /**
   * A run may have this many iterations; the suite's limit ends what takes time by their square.
   */
  @Test
  void aCurveOfManyPointsIsDrawn() {
    String values =
        IntStream.range(0, 20_000).mapToObj(n -> "0." + n).collect(Collectors.joining(" "));
    assertThat(chart(values)).contains("<polyline", "iteration");
  }

  /** Values near each other, far from 0, or the same but for rounding. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "1 0.9999999999999999",
        "-1234567.1 -1234563.9 -1234560.2",
        "1.2e6 2.1e6",
        "1e-5 1.5e-4",
        "0.99999991 0.99999999",
        "12345678901 12345678902",
        "0 0",
        "5",
        "-1e300 1e300",
      })
  void eachTickHasALabelOfItsOwnAndNoneIsCut(String values) {
    String chart = chart(values);
    List<String> vertical = labels(chart, "end");
    assertThat(vertical).hasSizeBetween(2, 12).doesNotHaveDuplicates();
    TEXT.matcher(chart)
        .results()
        .filter(text -> text.group(2).equals("end"))
        .forEach(
            text ->
                assertThat(Double.parseDouble(text.group(1)) - Sheet.width(text.group(3)))
                    .as(text.group(3))
                    .isGreaterThan(16));
  }

  @Test
  void iterationsAreWholeNumbers() {
    assertThat(labels(chart("0.5 0.7"), "middle")).contains("1", "2").doesNotContain("1.5");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 | 0",
        "0.1 | 0.1",
        "0.30000000000000004 | 0.3",
        "1500000 | 1.5e6",
        "-0.00015 | -1.5e-4",
        "-1234567 | -1,234,567",
        "20000 | 20,000",
        "2500 | 2,500",
        "1e6 | 1e6",
        "0.999999999 | 0.999999999",
      })
  void labelsAreShortAndExact(double value, String label) {
    assertThat(Scale.label(value)).isEqualTo(label);
  }

  @Test
  void whatRoundsToZeroHasOneShade() {
    assertThat(Ink.shade(-0.01)).isEqualTo(Ink.shade(0.01)).isEqualTo(Ink.shade(0));
    assertThat(Ink.shade(-0.1)).isNotEqualTo(Ink.shade(0.1));
  }

  @Test
  void ticksOfValuesAtTheEndOfDoublesAreFew() {
    for (double end : new double[] {Double.MAX_VALUE / 4, Double.MIN_NORMAL}) {
      assertThat(Scale.of(Arrays.asList(-end, end), false).ticks(5)).hasSizeLessThan(12);
    }
  }

  @ParameterizedTest
  @CsvSource({"0.1,0.39", "0,1", "0.5,0.7", "1,9", "-3,17", "0.23,0.48", "100,390"})
  void aLinearAxisHasAtLeastFourTicks(double low, double high) {
    assertThat(Scale.of(List.of(low, high), false).ticks(5)).hasSizeBetween(4, 10);
  }

  @Test
  void aPageHasAChartForANarrowScreen() {
    String page =
        Axes.of("fit of the model", "iterations")
            .dots(List.of(new Axes.Point(10_000, 1, "one"), new Axes.Point(90_000, 2, "two")))
            .inPage();
    assertThat(page).contains("class=\"on-wide\"", "class=\"on-narrow\" viewBox=\"0 0 340 ");
    // A line runs below a name only where it was taken away.
    assertThat(page.split("fill paper", -1)).hasSize(5);
  }
}
