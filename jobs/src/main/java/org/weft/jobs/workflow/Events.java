package org.weft.jobs.workflow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.hadoop.fs.Syncable;
import org.weft.storage.file.FileAccess;

/**
 * What happens in a run: JSON lines in its log, and from each of them the text for people. Members:
 * {@code time}, {@code run}, {@code event}, {@code level}, and as they apply {@code step}, {@code
 * attempt}, {@code key}, {@code seconds}, {@code status}, {@code message}. Thread-safe.
 */
final class Events implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final OutputStream out;
  private final String where;
  private final String run;
  private final Consumer<String> people;

  /**
   * @param people take the text of each event
   */
  Events(StateFolder state, String name, String run, Consumer<String> people) {
    this.out = state.log(name);
    this.where = state.at(name);
    this.run = run;
    this.people = people;
  }

  /** One event; {@code members} alternate between name and value. */
  synchronized void say(String event, String level, Object... members) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("time", Instant.now().toString());
    line.put("run", run);
    line.put("event", event);
    line.put("level", level);
    for (int at = 0; at + 1 < members.length; at += 2) {
      line.put((String) members[at], members[at + 1]);
    }
    try {
      out.write((JSON.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8));
      if (out instanceof Syncable syncable) {
        syncable.hflush();
      } else {
        out.flush();
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(where, e);
    }
    people.accept(text(line));
  }

  /** What a person reads of a line. */
  static String text(Map<String, Object> line) {
    String step = line.containsKey("step") ? "[" + line.get("step") + "] " : "";
    Object seconds = line.get("seconds");
    String took =
        seconds instanceof Number number
            ? String.format(Locale.ROOT, " (%.1f s)", number.doubleValue())
            : "";
    return step + line.getOrDefault("message", line.get("event")) + took;
  }

  /** What a person reads of a line of a log; a line that was cut off is shown as it is. */
  static String text(String line) {
    try {
      @SuppressWarnings("unchecked")
      Map<String, Object> members = JSON.readValue(line, Map.class);
      if (members == null) {
        return line;
      }
      return members.getOrDefault("time", "") + " " + text(members);
    } catch (JsonProcessingException e) {
      return line;
    }
  }

  @Override
  public synchronized void close() {
    try {
      out.close();
    } catch (IOException e) {
      throw FileAccess.unavailable(where, e);
    }
  }
}
