package org.weft.jobs.option;

import static org.weft.jobs.output.Usage.usage;

import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.output.Console;
import org.weft.storage.TensorFiles;
import org.weft.storage.container.Container;
import org.weft.storage.file.FileAccess;
import picocli.CommandLine.Option;

/** The key under which entries are written, so that writing them again changes nothing. */
public final class BatchOptions {
  @Option(
      names = "--batch",
      paramLabel = "KEY",
      description =
          "The name of the entries that are written, such as their day. A batch that the tensor"
              + " has already is not written again. A retried job therefore changes nothing.")
  @Nullable
  public String key;

  @Option(
      names = "--replace-batch",
      description =
          "With --append and --batch: replace the entries of the batch if the tensor has it.")
  public boolean replace;

  public String key() {
    return key == null ? "" : key;
  }

  public void check(boolean append, String output) {
    if (key != null && (key.isBlank() || !TensorFiles.hasExtension(output, ".weft"))) {
      throw usage(
          "expected --batch KEY for a .weft tensor, found --batch '%s' for %s", key, output);
    }
    if (replace && (key == null || !append)) {
      throw usage(
          "expected %s with --replace-batch, found none", append ? "--batch KEY" : "--append");
    }
  }

  /** Whether the batch is in the tensor {@code uri} and is to stay as it is; says so. */
  public boolean isDone(FileAccess files, String uri, Console console) {
    if (key == null || replace) {
      return false;
    }
    Container present;
    try {
      present = Container.open(files, uri);
    } catch (WeftException e) {
      if (e.code() == ErrorCode.INPUT_NOT_FOUND) {
        return false;
      }
      throw e;
    }
    if (!present.batches().contains(key)) {
      return false;
    }
    console.result(
        "%s: batch %s is there already, in version %d; nothing is written (--replace-batch replaces"
            + " it)",
        uri, key, present.version());
    return true;
  }
}
