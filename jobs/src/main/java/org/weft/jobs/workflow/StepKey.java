package org.weft.jobs.workflow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.weft.storage.file.Fingerprints;

/**
 * What a step's result depends on: the words of its command, and the contents of its inputs. Two
 * steps with the same key make the same.
 *
 * @param inputs contents by URI, sorted
 */
record StepKey(List<String> command, Map<String, String> inputs) {
  /** Raised when commands come to mean something else. */
  private static final int EPOCH = 1;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int SHOWN = 16;

  StepKey {
    command = List.copyOf(command);
    inputs = new TreeMap<>(inputs);
  }

  /** SHA-256, in hexadecimal. */
  String hash() {
    try {
      return Fingerprints.sha256(JSON.writeValueAsString(List.of(EPOCH, command, inputs)));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What stands in a command for {@code ${step.key}}. */
  static String shown(String hash) {
    return hash.substring(0, SHOWN);
  }
}
