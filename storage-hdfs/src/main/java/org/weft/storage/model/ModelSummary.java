package org.weft.storage.model;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.weft.storage.container.Container;
import org.weft.storage.document.JsonText;
import org.weft.storage.file.Contents;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.Fingerprints;

/**
 * What {@code summary.json} of a model says.
 *
 * @param inputs the tensor, then what was read beside it; none of a model that was read, whose
 *     content names them
 * @param content members by name
 */
public record ModelSummary(List<String> inputs, Map<String, Object> content) {
  /** Of the folder: raised when a member comes to mean something else. */
  static final int SCHEMA = 1;

  private static final String PARENT = "parent";

  /** This with another member. */
  public ModelSummary with(String name, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(content);
    more.put(name, value);
    return new ModelSummary(inputs, more);
  }

  /**
   * With where the model comes from: {@code content}, a check sum of its other files; {@code
   * inputs}, each with its version if it has one, length and check sum; {@code parent}, the model
   * that it started from or updates.
   */
  ModelSummary sealed(FileAccess files, String sum) throws IOException {
    Map<String, Object> more = new LinkedHashMap<>();
    more.put("schema", SCHEMA);
    more.putAll(content);
    more.put("content", sum);
    if (!inputs.isEmpty()) {
      List<Object> read = new ArrayList<>();
      for (String input : inputs) {
        read.add(read(files, input));
      }
      more.put("inputs", read);
    }
    Object from = content.getOrDefault("append", content.get("init"));
    if (!content.containsKey(PARENT) && from instanceof String uri && StartNames.isFolder(uri)) {
      ModelFolder model = ModelFolder.open(files, uri);
      Map<String, Object> parent = new LinkedHashMap<>();
      parent.put("uri", model.uri());
      parent.put("content", model.summary().path("content").asText("unknown"));
      more.put(PARENT, parent);
    }
    return new ModelSummary(inputs, more);
  }

  private static Map<String, Object> read(FileAccess files, String input) throws IOException {
    Map<String, Object> read = new LinkedHashMap<>();
    read.put("uri", input);
    if (Container.isThere(files, input)) {
      read.put("version", Container.open(files, input).version());
    }
    Optional<Contents> contents = new Fingerprints(files).of(input);
    contents.ifPresent(
        found -> {
          read.put("bytes", found.bytes());
          read.put("sum", found.sum());
        });
    return read;
  }

  byte[] json() throws IOException {
    return JsonText.of(content).getBytes(StandardCharsets.UTF_8);
  }
}
