package org.weft.jobs.command;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.file.InputNames;
import org.weft.jobs.file.OrderedEntries;
import org.weft.jobs.option.BatchOptions;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.option.NamedMode;
import org.weft.jobs.option.ReorderOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.process.SoftwareVersions;
import org.weft.reorder.Relabelling;
import org.weft.storage.ContainerOptions;
import org.weft.storage.InputPlan;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.container.Container;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft convert}. */
@Command(
    name = "convert",
    sortOptions = false,
    description = {
      "Convert a tensor between file formats, which the file names choose.",
      ".tns and .mtx are text, plain or compressed as .gz, .bz2 or .zst. .wtb is binary."
          + " .npy holds full arrays. Jobs load the folder .weft fastest. Harwell-Boeing .rb and"
          + " .hb can be read but not written.",
      "The entries of OUT are sorted, and duplicates are summed. A sorted file is converted"
          + " as a stream. Any other file is sorted, on the local disk if it takes more than a"
          + " third of the heap. --zero-based applies to .tns files, both IN and OUT. --type may"
          + " also be int or long. long keeps all digits of integers beyond 2^53, which double"
          + " rounds."
    },
    footer = {
      "",
      "Example: weft convert x.tns.gz x.weft",
      "Example: weft convert more.weft x.weft --append --batch 2024-05-31"
    })
public final class ConvertCommand extends WeftCommand {
  @Parameters(index = "0", paramLabel = "IN", description = "The tensor to read.")
  String input = "";

  @Parameters(index = "1", paramLabel = "OUT", description = "The tensor to write.")
  String output = "";

  @Option(
      names = "--append",
      description =
          "Add the entries to the .weft tensor OUT, as a new version that shares the files of"
              + " the version before. Modes with labels are compared by label. New labels get"
              + " coordinates after the known ones. Values at known coordinates add up.")
  boolean append;

  @Option(
      names = "--by-coordinates",
      description = "With --append: take the coordinates of IN as they are, and ignore its labels.")
  boolean byCoordinates;

  @Mixin BatchOptions batch = new BatchOptions();

  @Mixin InputNames names = new InputNames();

  @Option(
      names = "--mode-order",
      split = ",",
      paramLabel = "M",
      description =
          "The modes of the .weft tensor OUT from the outermost level to the innermost, such as"
              + " 1,0,2 or item,user,week. Partitions are cut along the first mode of the list"
              + " (default: mode 0, then the others by size).")
  List<String> modeOrder = List.of();

  @Option(
      names = "--keep-order",
      description =
          "Write the coordinates that a reordered .weft tensor IN stores (default: the original"
              + " coordinates).")
  boolean keepOrder;

  @Option(
      names = "--uncompressed",
      description =
          "Store the arrays of the .weft tensor OUT without compression. They take more bytes"
              + " and load faster.")
  boolean uncompressed;

  @Override
  protected void run(Console console) throws IOException {
    FileAccess files = CommonOptions.files();
    if (append && common.overwrite) {
      throw usage("expected --append or --overwrite, found both");
    }
    if (byCoordinates && !append) {
      throw usage("expected --append with --by-coordinates, found none");
    }
    refuseIgnored();
    batch.check(append, output);
    if (!append) {
      checkTensorOutput(files, output);
    } else if (batch.isDone(files, output, console)) {
      return;
    } else {
      requireThere(files);
      TensorFiles.checkAppend(files, output);
    }
    ValueType type = type(files);
    InputPlan plan =
        TensorFiles.open(
            files,
            input,
            common.readOptions().withType(type).withStoredOrder(keepOrder).forOneOfSeveral(input));
    List<String> modeNames = names.of(files, input, plan.header().order());
    int modes = plan.header().order();
    List<Integer> levels =
        modeOrder.stream()
            .map(mode -> NamedMode.number(input, "--mode-order", mode, modeNames, modes))
            .toList();
    if (append && TensorFiles.extensionOf(output).equals(".weft")) {
      Container.open(files, output).requireModes(modeNames);
    }
    OrderedEntries entries = new OrderedEntries(files, plan);
    console.step("check " + input, 0, 2);
    OrderedEntries.Survey survey = entries.survey();
    console.note("%s: %s, %s", input, survey.shape(), Counts.of(survey.entries(), "entry"));
    if (!statesType()) {
      warnOfRounding(console, entries.rounded(survey));
    }
    if (planOnly()) {
      console.result(
          "would read %s (%s, %s) and write %s; %s",
          input,
          plan.format(),
          Counts.plain(plan.splits().size(), "split"),
          output,
          survey.sorted()
              ? "entries are sorted and stream through"
              : "entries are unsorted or repeated and are packed in memory");
      return;
    }
    Map<Integer, int[]> permutations =
        keepOrder ? TensorFiles.permutations(files, input) : Map.of();
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(survey.shape())
            .withZeroBased(common.zeroBased)
            .forFile(output)
            .withLabels(byCoordinates ? Map.of() : labels(files, survey.shape(), permutations))
            .withContainer(
                ContainerOptions.defaults()
                    .withModeNames(modeNames)
                    .withValueType(type)
                    .withByCoordinates(byCoordinates)
                    .withBatch(batch.key(), batch.replace)
                    .withModeOrder(levels)
                    .withPermutations(permutations)
                    .withCompressed(!uncompressed)
                    .withProvenance(input, provenance(), SoftwareVersions.program()));
    console.step("write " + output, 1, 2);
    long written;
    try (TensorOutput made =
        TensorFiles.create(
            files,
            output,
            existing(),
            survey.shape().order(),
            survey.sorted() ? options.withEntries(survey.entries()) : options)) {
      written = entries.write(survey, levels, made);
      if (!made.commit()) {
        batch.isDone(files, output, console);
        return;
      }
    }
    InputNames.noteDropped(console, output, modeNames, options.labels());
    if (append) { // what is there now: labels that the tensor had keep their coordinates
      TensorShape shape = Container.open(files, output).shape();
      console.result("wrote %s: %s, %s added", output, shape, Counts.of(written, "entry"));
    } else {
      console.result("wrote %s: %s, %s", output, survey.shape(), Counts.of(written, "entry"));
    }
  }

  /** Options that this input or output has no use for. */
  private void refuseIgnored() {
    boolean layout = uncompressed || !modeOrder.isEmpty();
    String option = uncompressed ? "--uncompressed" : "--mode-order";
    if (layout && !TensorFiles.extensionOf(output).equals(".weft")) {
      throw usage("expected %s with a .weft tensor to write, found %s", option, output);
    }
    if (append && !modeOrder.isEmpty()) {
      throw usage(
          "expected --append without --mode-order, because %s has its mode order, found both",
          output);
    }
    if (keepOrder && !TensorFiles.extensionOf(input).equals(".weft")) {
      throw usage("expected --keep-order with a .weft tensor to read, found %s", input);
    }
    if (common.zeroBased && !isFrosttText(input) && !isFrosttText(output)) {
      throw usage(
          "expected --zero-based with .tns to read or write, found %s and %s", input, output);
    }
  }

  @Override
  protected boolean computesIntegers() {
    return true;
  }

  private void requireThere(FileAccess files) {
    if (TensorFiles.extensionOf(output).equals(".weft") && !Container.isThere(files, output)) {
      throw new WeftException(
          ErrorCode.INPUT_NOT_FOUND,
          output + ": expected a tensor to add to, found none; leave out --append to make it");
    }
  }

  /** That of the tensor that is added to, of {@code --type}, or of the container that is read. */
  private ValueType type(FileAccess files) {
    if (append && TensorFiles.extensionOf(output).equals(".weft")) {
      return Container.open(files, output).valueType();
    }
    return statesType() || !TensorFiles.extensionOf(input).equals(".weft")
        ? common.type
        : Container.open(files, input).valueType();
  }

  private boolean statesType() {
    return spec.commandLine().getParseResult().hasMatchedOption("--type");
  }

  private void warnOfRounding(Console console, OptionalLong rounded) {
    if (rounded.isPresent()) {
      console.note(
          "warning: %s: double does not hold every integer beyond 2^53, and rounds %d%s",
          input,
          rounded.getAsLong(),
          append
              ? "; " + output + " was made for double"
              : "; --type long keeps all digits of integers");
    }
  }

  private Map<Integer, Labels> labels(
      FileAccess files, TensorShape shape, Map<Integer, int[]> permutations) {
    Map<Integer, Labels> labels = TensorFiles.labels(files, input);
    return permutations.isEmpty()
        ? labels
        : ReorderOptions.moved(labels, Relabelling.ofLabels(shape, permutations));
  }

  private Existing existing() {
    if (append) {
      return Existing.APPEND;
    }
    return common.overwrite ? Existing.REPLACE : Existing.REFUSE;
  }

  /** The command without the folder that the output is in: the same wherever it is written. */
  private String provenance() {
    String name = output.replaceAll("/+$", "").replaceAll(".*/", "");
    return "weft convert " + input + " " + name + (append ? " --append" : "");
  }

  private static boolean isFrosttText(String uri) {
    return TensorFiles.extensionOf(uri).equals(".tns");
  }
}
