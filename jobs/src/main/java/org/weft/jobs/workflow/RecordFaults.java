package org.weft.jobs.workflow;

import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds what a record lacks that Weft always writes, before anybody uses the record. */
final class RecordFaults {
  private static final Set<String> TIMES = Set.of("started", "ended", "expires");

  private RecordFaults() {}

  /** What is wrong with a record, in words that follow "found"; null: nothing. */
  static @Nullable String in(@Nullable Record record) {
    if (record == null) {
      return "none";
    }
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      Object value = valueOf(record, component);
      boolean optional = component.getAnnotatedType().isAnnotationPresent(Nullable.class);
      String fault = value == null && optional ? null : of(component.getName(), value);
      if (fault != null) {
        return fault;
      }
    }
    return null;
  }

  private static @Nullable String of(String name, @Nullable Object value) {
    if (value == null) {
      return "no " + name;
    }
    if (value instanceof String text && TIMES.contains(name) && !text.isEmpty() && !isTime(text)) {
      return "'" + text + "', which is no time, as " + name;
    }
    if (value instanceof Record record) {
      return in(record);
    }
    Iterable<?> values =
        value instanceof Map<?, ?> map
            ? map.values()
            : value instanceof List<?> list ? list : List.of();
    for (Object element : values) {
      String fault = of(name, element);
      if (fault != null) {
        return fault;
      }
    }
    return null;
  }

  private static boolean isTime(String text) {
    try {
      Instant.parse(text);
      return true;
    } catch (DateTimeParseException e) {
      return false;
    }
  }

  private static @Nullable Object valueOf(Record record, RecordComponent component) {
    try {
      return component.getAccessor().invoke(record);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(component.toString(), e);
    }
  }
}
