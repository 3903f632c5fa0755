package org.weft.jobs;

import java.nio.file.Path;
import java.util.function.IntFunction;
import org.junit.jupiter.api.io.TempDir;

/** A test of commands on files in a folder of its own. */
abstract class FolderCase {
  @TempDir Path folder;

  final String path(String name) {
    return folder.resolve(name).toString();
  }

  /** Runs a line of words that blanks divide, with this folder for DIR. */
  final Run weft(String line) {
    return Run.of(line.replace("DIR", folder.toString()).split(" "));
  }

  /** What a command says that succeeds. */
  static String ok(String... command) {
    Run run = Run.of(command).succeeds();
    return run.out() + run.err();
  }

  /** Writes x.tns: entry {@code e} of a tensor of 5 x 6 x 7 has the value {@code value(e)}. */
  final String scattered(int entries, IntFunction<?> value) {
    return scattered(entries, new int[] {5, 6, 7}, new int[] {1, 7, 11}, value);
  }

  /** Writes x.tns: entry {@code e} is at {@code e strides[m] mod sizes[m]} in mode {@code m}. */
  final String scattered(int entries, int[] sizes, int[] strides, IntFunction<?> value) {
    StringBuilder text = new StringBuilder();
    for (int e = 0; e < entries; e++) {
      for (int mode = 0; mode < sizes.length; mode++) {
        text.append(e * strides[mode] % sizes[mode] + 1).append(' ');
      }
      text.append(value.apply(e)).append('\n');
    }
    return Run.write(folder, "x.tns", text.toString());
  }
}
