package org.weft.jobs.file;

import java.util.List;
import java.util.Map;
import org.weft.jobs.output.Console;
import org.weft.storage.Labels;
import org.weft.storage.ModeNames;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import picocli.CommandLine.Option;

/** Names for the modes of an input whose format has none. */
public final class InputNames {
  /** What every command says about the tensor that it reads. */
  public static final String INPUT =
      "The tensor file: .tns, .mtx, .rb or .hb, each also with .gz, .bz2 or .zst; .wtb;"
          + " .npy; or .weft. x.weft@3 is version 3.";

  @Option(
      names = "--names",
      split = ",",
      paramLabel = "NAME",
      description =
          "The names of the modes, as in user,item,time, for an input whose modes have no"
              + " names.")
  public List<String> given = List.of();

  /** The names of the modes of {@code uri}; empty if neither it nor the option has any. */
  public List<String> of(FileAccess files, String uri, int order) {
    return ModeNames.of(files, uri, order, given);
  }

  /** Says what the format of {@code output} has no place for. */
  public static void noteDropped(
      Console console, String output, List<String> names, Map<Integer, Labels> labels) {
    String extension = TensorFiles.extensionOf(output);
    boolean named = ModeNames.areNamed(names) && !extension.equals(".weft");
    boolean labelled = !labels.isEmpty() && !extension.equals(".weft") && !extension.equals(".wtb");
    if (named || labelled) {
      console.note(
          "%s is written without %s, which a %s file cannot hold; to keep them, write a .weft",
          output,
          named && labelled ? "names and labels of modes" : named ? "names of modes" : "labels",
          extension);
    }
  }
}
