package org.weft.jobs.workflow;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;

/**
 * Commands of tests: {@code join OUT IN...} writes the inputs one after the other, {@code save}
 * even over a file that is there, {@code note OUT TEXT} a text, {@code mark AT NAME} adds a line to
 * a file unless it is there, {@code fail STATUS TIMES} ends with a status the first times.
 */
final class Fakes implements StepCommand {
  final List<String> ran = new ArrayList<>();
  private final FileAccess files;
  private final Map<String, Integer> failures = new HashMap<>();

  /** Something that happens while a command runs. */
  Runnable meanwhile = () -> {};

  Fakes(FileAccess files) {
    this.files = files;
  }

  @Override
  public int run(List<String> words, String owner, Duration timeout, Consumer<String> lines)
      throws IOException {
    boolean overwrite = words.contains("--overwrite");
    List<String> plain = words.stream().filter(w -> !w.equals("--overwrite")).toList();
    ran.add(String.join(" ", words));
    lines.accept("says " + plain.get(0));
    meanwhile.run();
    switch (plain.get(0)) {
      case "join" -> {
        StringBuilder text = new StringBuilder();
        for (String input : plain.subList(2, plain.size())) {
          text.append(text(input));
        }
        return write(plain.get(1), text.toString(), overwrite);
      }
      case "save" -> {
        return write(plain.get(1), text(plain.get(2)), true);
      }
      case "note" -> {
        return write(plain.get(1), plain.get(2), overwrite);
      }
      case "mark" -> {
        Path path = files.path(plain.get(1));
        String before = files.fileSystem(path).exists(path) ? text(plain.get(1)) : "";
        String line = plain.get(2) + "\n";
        return before.contains(line) ? 0 : write(plain.get(1), before + line, true);
      }
      default -> {
        int before = failures.merge(plain.toString(), 1, Integer::sum);
        return before <= Integer.parseInt(plain.get(2)) ? Integer.parseInt(plain.get(1)) : 0;
      }
    }
  }

  private String text(String uri) throws IOException {
    Path path = files.path(uri);
    FileSystem system = files.fileSystem(path);
    try (InputStream in = system.open(path)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private int write(String uri, String text, boolean overwrite) throws IOException {
    try (OutputCommit commit = OutputCommit.begin(files, uri, overwrite)) {
      try (OutputStream out = commit.create()) {
        out.write(text.getBytes(StandardCharsets.UTF_8));
      }
      commit.commit();
    }
    return 0;
  }

  static Optional<String> anyCommand(List<String> words) {
    return Optional.empty();
  }
}
