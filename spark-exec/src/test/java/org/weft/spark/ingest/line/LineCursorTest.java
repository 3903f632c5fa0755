package org.weft.spark.ingest.line;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.junit.jupiter.api.Test;

class LineCursorTest {
  /** As readers do: one text for all lines, which the look at the next line changes. */
  private record Reader(Iterator<String> lines, Text text) implements Iterator<Text> {
    @Override
    public boolean hasNext() {
      boolean more = lines.hasNext();
      if (more) {
        text.set("overwritten");
      }
      return more;
    }

    @Override
    public Text next() {
      text.set(lines.next());
      return text;
    }
  }

  private static LineCursor cursor(Stream<String> lines) {
    FileSplit split = new FileSplit(new Path("t.csv"), 0, 1, new String[0]);
    return new LineCursor(split, new Reader(lines.iterator(), new Text()), null, '"');
  }

  private static List<String> records(String... lines) {
    LineCursor cursor = cursor(Stream.of(lines));
    List<String> records = new ArrayList<>();
    while (cursor.next()) {
      records.add(cursor.number() + ":" + cursor.text());
    }
    return records;
  }

  @Test
  void linesOfAnOpenCellAreOneRecord() {
    assertThat(records("a,1", "", "\"b", "", "\u00e9 \"\" x\",2", "c,3"))
        .containsExactly("1:a,1", "3:\"b\n\n\u00e9 \"\" x\",2", "6:c,3");
    assertThat(records("a,1", "\"b,2", "c,3")).containsExactly("1:a,1", "2:\"b,2\nc,3");
    assertThat(records("a,1", "\"b,2")).containsExactly("1:a,1", "2:\"b,2");
    assertThat(records("\"a\",\"b\"", "\"c", "d\"\"", "e\",4"))
        .containsExactly("1:\"a\",\"b\"", "2:\"c\nd\"\"\ne\",4");
  }

  /** Work that grew with the square of the lines would not end. */
  @Test
  void aCellThatIsNeverClosedTakesTimeByItsLength() {
    int lines = 2_000_000;
    LineCursor cursor =
        cursor(Stream.concat(Stream.of("\"open"), Stream.generate(() -> "a line").limit(lines)));
    assertThat(cursor.next()).isTrue();
    assertThat(cursor.text().getLength()).isEqualTo(5 + 7 * lines);
    assertThat(cursor.next()).isFalse();
    assertThat(cursor.lines()).isEqualTo(lines + 1);
  }
}
