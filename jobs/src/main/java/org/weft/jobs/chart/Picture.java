package org.weft.jobs.chart;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;

/** Something that is drawn: the same as SVG, as PNG and in a page. */
public interface Picture {
  /** Pixels from left to right. */
  int width();

  /** Pixels from top to bottom. */
  int height();

  /** What the picture shows, in words, for those who do not see it. */
  String said();

  /** Draws onto a sheet of {@link #width} x {@link #height} pixels. */
  void draw(Sheet sheet);

  /** Pixels of a PNG file for a pixel of the picture. */
  default int pngScale() {
    return 2;
  }

  /** As SVG of its own. */
  default String svg() {
    SvgSheet sheet = SvgSheet.alone(width(), height(), said());
    draw(sheet);
    return sheet.text();
  }

  /** As SVG within a page, whose style sheet colours it; at most {@code widest} pixels wide. */
  default String inPage(int widest) {
    return inPage(widest, "");
  }

  /** The same, of a class of the page's style sheet. */
  default String inPage(int widest, String kind) {
    SvgSheet sheet = SvgSheet.ofPage(width(), height(), widest, kind, said());
    draw(sheet);
    return sheet.text();
  }

  /** Writes a picture of the kind that {@code file} names. */
  default void write(String file, OutputStream out) throws IOException {
    Sheet sheet =
        isPng(file)
            ? new PixelSheet(width(), height(), pngScale())
            : SvgSheet.alone(width(), height(), said());
    draw(sheet);
    sheet.writeTo(out);
  }

  private static boolean isPng(String file) {
    return file.toLowerCase(Locale.ROOT).endsWith(".png");
  }

  /**
   * Requires the name of a picture.
   *
   * @param what names it, such as {@code --plot}
   */
  static void checkName(String what, String file) {
    if (!isPng(file) && !file.toLowerCase(Locale.ROOT).endsWith(".svg")) {
      throw usage(
          "expected %s to name a picture that ends in .png or .svg, found '%s'", what, file);
    }
  }
}
