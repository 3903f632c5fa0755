package org.weft.jobs.report;

import java.util.List;
import java.util.Locale;
import org.weft.jobs.chart.Ink;
import org.weft.jobs.chart.Picture;
import org.weft.jobs.chart.Sheet;

/**
 * Draws how much the components of a model overlap: the fuller the colour of a cell, the larger the
 * overlap.
 *
 * @param numbers of the components in the model's files, in the order of the rows
 */
record Overlap(double[][] cosines, List<Integer> numbers, String said) implements Picture {
  private static final int LEFT = 30;
  private static final int NAMED = 18;

  private int cell() {
    return Math.max(10, Math.min(28, 560 / Math.max(1, cosines.length)));
  }

  @Override
  public int width() {
    return LEFT + cosines.length * cell() + 2;
  }

  @Override
  public int height() {
    return width();
  }

  @Override
  public void draw(Sheet sheet) {
    int cell = cell();
    for (int r = 0; r < cosines.length; r++) {
      int at = LEFT + r * cell;
      if (cell >= NAMED || r % 5 == 0) {
        String name = Integer.toString(numbers.get(r));
        sheet.text(LEFT - 6, at + cell / 2 + 4, name, Sheet.Anchor.END, Ink.SOFT);
        sheet.text(at + cell / 2, LEFT - 8, name, Sheet.Anchor.MIDDLE, Ink.SOFT);
      }
      for (int s = 0; s < cosines.length; s++) {
        double cosine = cosines[r][s];
        String pair =
            String.format(Locale.ROOT, "%d and %d: %.3f", numbers.get(r), numbers.get(s), cosine);
        sheet.bar(LEFT + s * cell, at, cell - 1, cell - 1, Ink.shade(cosine), pair);
      }
    }
  }
}
