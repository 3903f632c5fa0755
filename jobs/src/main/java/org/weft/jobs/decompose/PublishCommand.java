package org.weft.jobs.decompose;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.weft.jobs.command.WeftCommand;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.ModelFolder;
import org.weft.storage.model.ModelPointer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code weft publish}. */
@Command(
    name = "publish",
    sortOptions = false,
    description = {
      "Write a pointer, a small file that names the folder of a model.",
      "A pointer that exists is replaced in one step. Commands that read a model take the"
          + " pointer, too."
    },
    footer = {"", "Example: weft publish models/2026-11-20 models/current"})
public final class PublishCommand extends WeftCommand {
  @Parameters(index = "0", paramLabel = "MODEL", description = "The folder of a model.")
  String model = "";

  @Parameters(index = "1", paramLabel = "POINTER", description = "The pointer to write.")
  String pointer = "";

  @Override
  protected void run(Console console) throws IOException {
    FileAccess files = CommonOptions.files();
    String folder = ModelPointer.resolve(files, model);
    ModelFolder.open(files, folder);
    Path at = files.path(pointer);
    if (files.fileSystem(at).exists(at) && ModelPointer.resolve(files, pointer).equals(pointer)) {
      throw usage("%s: expected a pointer, or nothing, to be replaced, found a folder", pointer);
    }
    if (!planOnly()) {
      ModelPointer.write(files, pointer, folder);
    }
    console.result("%s is %s", pointer, folder);
  }
}
