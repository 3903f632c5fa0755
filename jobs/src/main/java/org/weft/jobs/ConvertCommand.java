package org.weft.jobs;

import java.io.IOException;
import org.weft.storage.FileAccess;
import org.weft.storage.InputPlan;
import org.weft.storage.OutputCommit;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorWriter;
import org.weft.storage.WriteOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code weft convert}. */
@Command(
    name = "convert",
    sortOptions = false,
    description = {
      "Convert a tensor between file formats, chosen by extension: .tns and .mtx, plain or .gz, the"
          + " binary .wtb, and .npy for full matrices.",
      "Entries come out sorted, duplicates summed. A file that is sorted already streams through;"
          + " another needs memory for its entries. --zero-based applies to .tns on both sides."
    },
    footer = {"", "Example: weft convert x.tns.gz x.wtb"})
final class ConvertCommand extends WeftCommand {
  @Parameters(index = "0", paramLabel = "IN", description = "Tensor to read.")
  String input = "";

  @Parameters(index = "1", paramLabel = "OUT", description = "Tensor to write.")
  String output = "";

  @Override
  void run(Console console) throws IOException {
    FileAccess files = CommonOptions.files();
    checkTensorOutput(files, output);
    InputPlan plan =
        TensorFiles.open(
            files,
            input,
            common.readOptions().withZeroBased(common.zeroBased && isFrosttText(input)));
    SortedEntries entries = new SortedEntries(files, plan);
    console.step("check " + input, 0, 2);
    SortedEntries.Survey survey = entries.survey();
    console.note("%s: %s, %,d entries", input, survey.shape(), survey.entries());
    if (planOnly()) {
      console.result(
          "would read %s (%s, %d split(s)) and write %s; %s",
          input,
          plan.format(),
          plan.splits().size(),
          output,
          survey.sorted()
              ? "entries are sorted and stream through"
              : "entries are unsorted or repeated and are packed in memory");
      return;
    }
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(survey.shape())
            .withZeroBased(common.zeroBased && isFrosttText(output))
            .withLabels(TensorFiles.labels(files, input));
    console.step("write " + output, 1, 2);
    long written;
    try (OutputCommit commit = OutputCommit.begin(files, output, common.overwrite)) {
      try (TensorWriter writer =
          TensorFiles.write(
              commit,
              survey.shape().order(),
              survey.sorted() ? options.withEntries(survey.entries()) : options)) {
        written = entries.write(survey, writer);
      }
      commit.commit();
    }
    console.result("wrote %s: %s, %,d entries", output, survey.shape(), written);
  }

  private static boolean isFrosttText(String uri) {
    return uri.endsWith(".tns") || uri.endsWith(".tns.gz");
  }
}
