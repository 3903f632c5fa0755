package org.weft.jobs.spy;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import javax.imageio.stream.MemoryCacheImageInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.jobs.chart.Sheet;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

class DensityPlotTest {
  private static final Pattern TEXT =
      Pattern.compile("<text x=\"(\\d+)\" y=\"(\\d+)\" text-anchor=\"(\\w+)\"[^>]*>([^<]*)<");
  private static final Pattern IMAGE =
      Pattern.compile("<image x=\"\\d+\" y=\"\\d+\" width=\"(\\d+)\" height=\"(\\d+)\"");
  private static final Pattern SIZE =
      Pattern.compile("<svg[^>]*width=\"(\\d+)\" height=\"(\\d+)\"");

  private static DensityPlot plot(int side, String names, long entries, long... shape) {
    DensityPlot plot =
        new DensityPlot(side, names.isEmpty() ? List.of() : List.of(names.split(",")));
    CooBlock.Builder builder = new CooBlock.Builder(shape.length, 64);
    Random random = new Random(1);
    long[] at = new long[shape.length];
    for (int e = 0; e < entries; e++) {
      for (int mode = 0; mode < shape.length; mode++) {
        at[mode] = (long) (Math.pow(random.nextDouble(), 3) * shape[mode]);
      }
      builder.add(at, 1);
    }
    long[] boundaries = shape[0] > 1 ? new long[] {shape[0] / 2} : new long[0];
    plot.add("as stored", TensorShape.of(shape), List.of(builder.build()), boundaries);
    plot.add("a method with a name that is long", TensorShape.of(shape), List.of(), new long[0]);
    return plot;
  }

  /** Values are colours where no cell has two entries, and where most entries are stored. */
  @ParameterizedTest
  @CsvSource({
    "3x2, 0.5 1.5 -2, '-2 | 1.5 value'",
    "3x2, 4 4 4, '1 entry in a cell, each value is 4'",
    "1x1, 2.5, '1 entry in a cell, each value is 2.5'",
    "3x2, NaN NaN, '1 entry in a cell'",
    "3x2, 1 NaN 3, '1 | 3 value; grey: NaN or infinite'",
    "2x2x2, 1 2 3 4 5 6 7 8, '1.5 | 7.5 mean value'",
    "9x9x9, 1 2 3 4 5 6 7 8, '8 entries in a cell, logarithmic | 1 | 8 value'",
  })
  void coloursAreValuesWhereCountsSayNothing(String dims, String values, String legend)
      throws IOException {
    long[] shape = java.util.Arrays.stream(dims.split("x")).mapToLong(Long::parseLong).toArray();
    CooBlock.Builder builder = new CooBlock.Builder(shape.length, 64);
    long[] at = new long[shape.length];
    for (String value : values.split(" ")) {
      builder.add(at, Double.parseDouble(value));
      for (int mode = shape.length - 1; mode >= 0 && ++at[mode] == shape[mode]; mode--) {
        at[mode] = 0;
      }
    }
    DensityPlot plot = new DensityPlot(64, List.of());
    plot.add("as stored", TensorShape.of(shape), List.of(builder.build()), new long[0]);
    List<String> texts = TEXT.matcher(svg(plot)).results().map(t -> t.group(4)).toList();
    assertThat(texts).containsSubsequence(legend.split(" \\| "));
  }

  private static String svg(DensityPlot plot) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    plot.write("x.svg", out);
    return out.toString(StandardCharsets.UTF_8);
  }

  /** Ten pairs of modes side by side would be wider than any screen. */
  @Test
  void manyPanelsAreSeveralRows() {
    DensityPlot three = plot(100, "", 50, 90, 100, 80);
    DensityPlot five = plot(100, "", 50, 90, 100, 80, 70, 60);
    assertThat(five.width()).isLessThan(2 * three.width());
    assertThat(five.height()).isGreaterThan(2 * three.height());
  }

  @Test
  void aVectorIsAStrip() throws IOException {
    String svg = svg(plot(400, "", 9, 30));
    MatchResult image = IMAGE.matcher(svg).results().findFirst().orElseThrow();
    assertThat(image.group(1)).isEqualTo("48");
    assertThat(image.group(2)).isEqualTo("400");
  }

  /** A full temporary folder, or none, is no reason not to draw. */
  @Test
  void drawingNeedsNoFileForTemporaryData(@TempDir Path folder) throws IOException {
    File before = ImageIO.getCacheDirectory();
    Path gone = Files.createDirectory(folder.resolve("gone"));
    ImageIO.setCacheDirectory(gone.toFile());
    try {
      Files.delete(gone);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      plot(64, "", 9, 5, 5).write("x.PNG", out);
      assertThat(
              ImageIO.read(
                  new MemoryCacheImageInputStream(new ByteArrayInputStream(out.toByteArray()))))
          .isNotNull();
      assertThat(svg(plot(64, "", 9, 5, 5))).contains("<image ");
    } finally {
      ImageIO.setCacheDirectory(before);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "400, '', 3, 2x3x2",
    "16, '', 1, 1x1",
    "16, 'a mode of a name that is much longer than its panel,b', 9, 5x5",
    "64, 'user,item,a time of day', 5000, 30000x28000x24",
    "400, 'day,hour', 100, 183x24",
    "100, 'one', 10, 12",
    "64, '', 0, 0x5",
    "48, '', 70, 9000000000000000000x3"
  })
  void nothingIsCutAndSmallTensorsAreEnlarged(int side, String names, long entries, String dims)
      throws IOException {
    long[] shape = java.util.Arrays.stream(dims.split("x")).mapToLong(Long::parseLong).toArray();
    DensityPlot plot = plot(side, names, entries, shape);
    String svg = svg(plot);
    MatchResult size = SIZE.matcher(svg).results().findFirst().orElseThrow();
    int width = Integer.parseInt(size.group(1));
    int height = Integer.parseInt(size.group(2));
    List<String> texts = new ArrayList<>();
    TEXT.matcher(svg)
        .results()
        .forEach(
            text -> {
              int long_ = Sheet.width(text.group(4));
              int x = Integer.parseInt(text.group(1));
              int left =
                  switch (text.group(3)) {
                    case "end" -> x - long_;
                    case "middle" -> x - long_ / 2;
                    default -> x;
                  };
              assertThat(left).as(text.group()).isNotNegative();
              assertThat(left + long_).as(text.group()).isLessThanOrEqualTo(width);
              assertThat(Integer.parseInt(text.group(2))).isBetween(Sheet.LINE - 6, height);
              texts.add(text.group(4));
            });
    assertThat(texts).contains("as stored", "a method with a name that is long", "no entries");
    assertThat(texts).anyMatch(text -> text.contains("(down)"));
    for (String name : names.split(",")) {
      assertThat(texts).anyMatch(text -> text.contains(name));
    }
    if (shape[0] > 0) {
      assertThat(texts).contains("1", Ticks.label(shape[0]));
    }
    if (entries > 0) {
      assertThat(texts)
          .anyMatch(
              text ->
                  text.matches(
                      "1 entry in a cell, each value is 1|[0-9,]+ entries in a cell(, logarithmic)?"));
    }
    IMAGE
        .matcher(svg)
        .results()
        .map(image -> Integer.parseInt(image.group(2)))
        .filter(h -> h > 10) // not of a legend
        .forEach(h -> assertThat(h).isBetween(Math.min(side, 48), side));
    requirePixels(plot, width, height);
  }

  /** The same size as pixels, with a white border. */
  private static void requirePixels(DensityPlot plot, int width, int height) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    plot.write("x.PNG", out);
    BufferedImage png =
        Objects.requireNonNull(ImageIO.read(new ByteArrayInputStream(out.toByteArray())));
    assertThat(png.getWidth()).isEqualTo(width);
    assertThat(png.getHeight()).isEqualTo(height);
    for (int y = 0; y < height; y++) {
      assertThat(png.getRGB(width - 1, y) & 0xffffff).isEqualTo(0xffffff);
      assertThat(png.getRGB(0, y) & 0xffffff).isEqualTo(0xffffff);
    }
  }

  /** At {@code pixels} for the whole mode, with letters of 7 pixels. */
  @ParameterizedTest
  @CsvSource({
    "0, 100, ''",
    "1, 100, '1'",
    "2, 100, '1 2'",
    "5, 200, '1 2 3 4 5'",
    "9, 160, '1 3 5 7 9'",
    "10, 140, '1 3 5 7 10'",
    "24, 120, '1 10 24'",
    "30, 138, '1 10 20 30'",
    "126, 360, '1 20 40 60 80 100 126'",
    "1000, 300, '1 200 400 600 800 1,000'",
    "7128, 200, '1 2,000 4,000 7,128'",
    "28000, 200, '1 10k 20k 28k'",
    "2000000, 100, '1 1M 2M'",
    "12345, 20, '1 12,345'"
  })
  void ticksAreRoundAndHaveRoom(long size, int pixels, String expected) {
    Ticks.Room room =
        (before, after) ->
            (after - before) * (double) pixels / size
                >= 3.5 * (Ticks.label(before) + Ticks.label(after)).length() + 12;
    List<String> labels = Ticks.of(size, room).stream().map(Ticks::label).toList();
    assertThat(String.join(" ", labels)).isEqualTo(expected);
    assertThat(Ticks.of(Long.MAX_VALUE, (before, after) -> false)).hasSize(2);
    assertThat(Ticks.of(Long.MAX_VALUE, (before, after) -> true)).hasSizeBetween(2, 1002);
  }
}
