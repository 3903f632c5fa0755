package org.weft.storage.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class TabSeparatedTest {
  @Test
  void namesComeFirstAndAnAbsentValueIsEmpty() {
    Map<String, @Nullable Object> first = new LinkedHashMap<>();
    first.put("name", "a");
    first.put("seconds", 0.5);
    first.put("ratio", null);
    Map<String, @Nullable Object> second = new LinkedHashMap<>();
    second.put("name", "b");
    second.put("seconds", null);
    second.put("ratio", 2);

    assertThat(TabSeparated.of(List.of(first, second)))
        .isEqualTo("name\tseconds\tratio\na\t0.5\t\nb\t\t2\n");
    assertThat(TabSeparated.of(List.of())).isEmpty();
  }

  @Test
  void noValueBreaksItsCellOrItsLine() {
    TabSeparated table = new TabSeparated();

    assertThat(table.add("a\tb\r\nc").add(1).endLine().take()).isEqualTo("a b  c\t1\n");
    assertThat(table.add("").add("x").endLine().take()).isEqualTo("\tx\n");
  }
}
