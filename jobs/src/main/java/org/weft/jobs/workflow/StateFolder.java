package org.weft.jobs.workflow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;

/**
 * The state of a workflow: JSON files, each of which appears whole, by a rename.
 *
 * <pre>
 * lease-N.json                   who may write here; the highest N counts
 * runs/RUN/run.json              parameters, inputs, the text of the file
 * runs/RUN/steps/STEP.json       where each step is
 * runs/RUN/log-N.jsonl           what happened, a line each; N counts starts of the run
 * done/KEY.json                  what a step made of inputs
 * owned/SHA-256 OF URI.json      whose an output is
 * </pre>
 */
final class StateFolder {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  /** How Jackson names the type that it wants. */
  private static final Pattern OF_A_CLASS =
      Pattern.compile(" of (type|class)?\\s*`[^`]*`(?:\\[[^\\]]*\\])?|`(org|java)\\.[^`]*` ?");

  private final FileAccess files;
  private final String uri;

  StateFolder(FileAccess files, String uri) {
    this.files = files;
    this.uri = uri.endsWith("/") ? uri.substring(0, uri.length() - 1) : uri;
  }

  String uri() {
    return uri;
  }

  FileAccess files() {
    return files;
  }

  String at(String name) {
    return uri + "/" + name;
  }

  /**
   * The record of a name, if it is there.
   *
   * @throws WeftException {@code CORRUPT_INPUT} for what no Weft wrote, {@code
   *     UNSUPPORTED_OPERATION} for what a newer one wrote
   */
  <T extends Record> Optional<T> read(String name, Class<T> type) {
    Path path = files.path(at(name));
    try (InputStream in = files.fileSystem(path).open(path)) {
      JsonNode tree = JSON.readTree(in);
      requireKnown(name, tree.path("schema").asInt(Records.SCHEMA));
      T record = JSON.treeToValue(tree, type);
      String fault = RecordFaults.in(record);
      if (fault != null) {
        throw corrupt(name, fault, null);
      }
      return Optional.of(record);
    } catch (FileNotFoundException e) {
      return Optional.empty();
    } catch (JsonProcessingException e) {
      String found = OF_A_CLASS.matcher(e.getOriginalMessage()).replaceAll("");
      throw corrupt(name, "other text: " + found, e);
    } catch (IOException e) {
      throw FileAccess.unavailable(at(name), e);
    }
  }

  private void requireKnown(String name, int schema) {
    if (schema > Records.SCHEMA) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_OPERATION,
          at(name)
              + ": expected schema "
              + Records.SCHEMA
              + ", found "
              + schema
              + "; it was written by a newer Weft, read it with that");
    }
  }

  private WeftException corrupt(String name, String found, @Nullable Throwable cause) {
    return new WeftException(
        ErrorCode.CORRUPT_INPUT,
        at(name)
            + ": expected a record of a workflow, found "
            + found
            + "; "
            + StateNames.remedy(name),
        cause);
  }

  /** Writes a record, over one that is there. */
  void write(String name, Object record) {
    put(name, record, true);
  }

  /** Writes a record where none is; false if there is one, which stays. */
  boolean create(String name, Object record) {
    try {
      put(name, record, false);
      return true;
    } catch (WeftException e) {
      if (e.code() == ErrorCode.OUTPUT_EXISTS || e.code() == ErrorCode.COMMIT_CONFLICT) {
        return false;
      }
      throw e;
    }
  }

  private void put(String name, Object record, boolean replace) {
    try (OutputCommit commit = OutputCommit.begin(files, at(name), replace)) {
      try (OutputStream out = commit.create()) {
        out.write(JSON.writeValueAsBytes(record));
      }
      commit.commit();
    } catch (IOException e) {
      throw FileAccess.unavailable(at(name), e);
    }
  }

  /** Names in a folder of the state that are not hidden, sorted; none if it is not there. */
  List<String> names(String folder) {
    Path path = files.path(folder.isEmpty() ? uri : at(folder));
    FileSystem system = files.fileSystem(path);
    List<String> names = new ArrayList<>();
    try {
      for (FileStatus child : system.listStatus(path)) {
        if (!child.getPath().getName().startsWith(".")) {
          names.add(child.getPath().getName());
        }
      }
    } catch (FileNotFoundException e) {
      return List.of();
    } catch (IOException e) {
      throw FileAccess.unavailable(path.toString(), e);
    }
    Collections.sort(names);
    return names;
  }

  /** Removes a file or folder of the state, if it is there. */
  void remove(String name) {
    Path path = files.path(at(name));
    try {
      files.fileSystem(path).delete(path, true);
    } catch (IOException e) {
      throw FileAccess.unavailable(at(name), e);
    }
  }

  /** A stream to a new file, whose lines can be read while it is written. */
  OutputStream log(String name) {
    Path path = files.path(at(name));
    try {
      return files.fileSystem(path).create(path, false);
    } catch (IOException e) {
      throw FileAccess.unavailable(at(name), e);
    }
  }
}
