package org.weft.storage.document;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Maps, lists, numbers, text and null as JSON; numbers that JSON lacks, such as NaN, are text.
 * Written value by value: an object mapper takes longer to start than a small job.
 */
public final class JsonText {
  private JsonText() {}

  /** Indented, with a line end. */
  public static String of(Object value) throws IOException {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
      json.useDefaultPrettyPrinter();
      write(json, value);
    }
    return text.append('\n').toString();
  }

  /** On one line, without its end. */
  public static String line(Object value) throws IOException {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
      write(json, value);
    }
    return text.toString();
  }

  private static void write(JsonGenerator json, @Nullable Object value) throws IOException {
    if (value instanceof Map<?, ?> map) {
      json.writeStartObject();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        json.writeFieldName(String.valueOf(entry.getKey()));
        write(json, entry.getValue());
      }
      json.writeEndObject();
    } else if (value instanceof Iterable<?> values) {
      json.writeStartArray();
      for (Object element : values) {
        write(json, element);
      }
      json.writeEndArray();
    } else if (value instanceof double[] numbers) {
      json.writeArray(numbers, 0, numbers.length);
    } else if (value instanceof long[] numbers) {
      json.writeArray(numbers, 0, numbers.length);
    } else {
      json.writePOJO(value);
    }
  }
}
