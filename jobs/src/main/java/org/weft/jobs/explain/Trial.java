package org.weft.jobs.explain;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.weft.scratch.ScratchFolder;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;

/**
 * Where a job writes that is run to be measured: a folder that is never published and goes when
 * this is closed. It lies beside the output that was named, or in this machine's folder for
 * temporary files.
 */
public final class Trial implements AutoCloseable {
  private final OutputCommit folder;
  private final @Nullable Path scratch;

  private Trial(OutputCommit folder, @Nullable Path scratch) {
    this.folder = folder;
    this.scratch = scratch;
  }

  /**
   * Refuses a trial without a place where other processes could write.
   *
   * @param shared whether others than this process write
   */
  public static void requirePlace(@Nullable String output, boolean shared) {
    if (output == null && shared) {
      throw usage(
          "--analyze with --master: expected --output PLACE, beside which executors write what is"
              + " removed at the end, found none");
    }
  }

  /**
   * Begins a trial.
   *
   * @param output that was named, if one was
   */
  public static Trial begin(FileAccess files, @Nullable String output) {
    Path scratch = output == null ? ScratchFolder.newFolder("analysis") : null;
    OutputCommit folder =
        OutputCommit.begin(files, (scratch == null ? output : scratch) + ".analysis", true);
    folder.createDirectory();
    return new Trial(folder, scratch);
  }

  /** The address of a file or folder of the trial. */
  public String uri(String name) {
    return folder.stagingUri() + "/" + name;
  }

  @Override
  public void close() {
    folder.close();
    if (scratch != null) {
      try {
        Files.deleteIfExists(scratch);
      } catch (IOException e) {
        throw ScratchFolder.unavailable(e);
      }
    }
  }
}
