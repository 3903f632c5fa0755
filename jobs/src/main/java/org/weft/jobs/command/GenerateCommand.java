package org.weft.jobs.command;

import static org.weft.jobs.output.Usage.usage;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.jobs.file.TensorSink;
import org.weft.jobs.generate.Generated;
import org.weft.jobs.generate.PlantedTensor;
import org.weft.jobs.generate.SyntheticModel;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.storage.npy.NpyFile;
import org.weft.text.Counts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft generate}. */
@Command(
    name = "generate",
    sortOptions = false,
    description = {
      "Write a synthetic tensor, the same for the same seed.",
      "The entries are sorted and have no duplicates. SHAPE is one of three kinds. nell-1,"
          + " nell-2, delicious-3d, flickr-3d, vast-2015-mc1-3d, freebase-music, uber and"
          + " lbnl-network have the mode sizes, nonzeros and skew of that tensor. banded, fem,"
          + " power-law and uniform are square matrices of that kind. Mode sizes such as 50x40x30"
          + " make any shape.",
      "--scale multiplies the nonzeros by F and each mode size by F^(1/order), which keeps"
          + " the density. Of a matrix kind, it multiplies rows and nonzeros by F. Coordinate c"
          + " of a mode is drawn in proportion to (c+1)^-a, where a is the skew of the mode, from"
          + " 0 to 1. Values are multiples of 0.01 up to 10.",
      "--planted makes a tensor of R known CP components. The tensor is full if SHAPE has"
          + " mode sizes, and sparse if SHAPE is a name. Memory does not grow with the nonzeros."
    },
    footer = {
      "",
      "Example: weft generate nell-2 --scale 0.01 --seed 7 nell2s.tns.gz",
      "Example: weft generate fem --scale 0.1 --seed 7 fem.mtx",
      "Example: weft generate 50x40x30 --planted 4 --noise 0.01 --factors-out truth planted.tns"
    })
public final class GenerateCommand extends WeftCommand {
  @Parameters(
      arity = "1..2",
      paramLabel = "SHAPE OUT",
      description = "The shape and the tensor to write. With --shape, OUT alone.")
  List<String> operands = new ArrayList<>();

  @Option(
      names = "--shape",
      paramLabel = "AxBxC",
      description = "The shape, in the place of SHAPE.")
  @Nullable String shape;

  @Option(
      names = "--scale",
      paramLabel = "F",
      description = "Make this fraction of the nonzeros (default: ${DEFAULT-VALUE}).")
  double scale;

  @Option(
      names = "--nonzeros",
      paramLabel = "N",
      description = "The number of nonzeros before --scale (default: the shape's own).")
  @Nullable Long nonzeros;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "The seed of all random numbers (default: ${DEFAULT-VALUE}).")
  long seed;

  @Option(
      names = "--planted",
      paramLabel = "R",
      description = "Make a tensor of R known CP components.")
  @Nullable Integer planted;

  @Option(
      names = "--noise",
      paramLabel = "P",
      description =
          "With --planted: the norm of the noise divided by the norm of the tensor (default:"
              + " ${DEFAULT-VALUE}).")
  double noise;

  @Option(
      names = "--factors-out",
      paramLabel = "DIR",
      description =
          "With --planted: write the known components to this folder, as mode0.npy, mode1.npy,"
              + " ... and lambda.npy.")
  @Nullable String factorsOut;

  @Override
  protected void run(Console console) throws IOException {
    Generated model = model();
    String output = operands.get(operands.size() - 1);
    FileAccess files = CommonOptions.files();
    checkTensorOutput(files, output);
    checkPlanted(files);
    if (planOnly()) {
      console.result(
          "would write %s: %s, %s%s, %s, seed %d",
          output,
          model.sizes(),
          planted == null ? "" : "planted rank " + planted + ", at most about ",
          Counts.of(model.nonzeros(), "nonzero"),
          model.describe(),
          seed);
      return;
    }
    console.step("write " + output, 0, 1);
    PlantedTensor truth = truth(model);
    long written = write(files, output, model, truth);
    console.result("wrote %s: %s, %s", output, model.sizes(), Counts.of(written, "nonzero"));
    if (truth != null && factorsOut != null) {
      writeFactors(files, factorsOut, truth);
      console.result("wrote %s: the factors", factorsOut);
    }
  }

  private @Nullable PlantedTensor truth(Generated model) {
    if (planted == null) {
      return null;
    }
    if (model instanceof SyntheticModel tensor) {
      return new PlantedTensor(tensor, planted, noise, seed);
    }
    throw usage("expected --planted with a tensor's shape, found %s", model.describe());
  }

  private Generated model() {
    if (operands.size() != (shape == null ? 2 : 1)) {
      throw usage(
          "expected %s, found '%s'; see 'weft generate --help'",
          shape == null ? "SHAPE OUT" : "OUT alone after --shape", String.join(" ", operands));
    }
    Generated model = Generated.of(shape == null ? operands.get(0) : shape);
    return (nonzeros == null ? model : model.withNonzeros(nonzeros)).scaled(scale);
  }

  private void checkPlanted(FileAccess files) {
    if (planted == null && factorsOut != null) {
      throw usage("expected --planted R with --factors-out, found none");
    }
    if (planted != null && planted < 1) {
      throw usage("expected --planted of at least 1, found %d", planted);
    }
    if (!(noise >= 0) || Double.isInfinite(noise)) {
      throw usage("expected --noise of at least 0, found %s", noise);
    }
    if (factorsOut != null) {
      checkFolder(files, factorsOut);
    }
  }

  private long write(
      FileAccess files, String output, Generated model, @Nullable PlantedTensor truth)
      throws IOException {
    int order = model.sizes().order();
    WriteOptions options =
        WriteOptions.defaults().withShape(model.sizes()).withZeroBased(common.zeroBased);
    if (truth == null && model instanceof SyntheticModel) {
      options = options.withEntries(model.nonzeros());
    }
    try (TensorOutput made = TensorFiles.create(files, output, common.overwrite, order, options)) {
      TensorSink sink = new TensorSink(made, order);
      if (truth == null) {
        model.generate(seed, sink);
      } else {
        truth.generate(sink);
      }
      sink.flush();
      made.commit();
      return sink.entries();
    }
  }

  private void writeFactors(FileAccess files, String folder, PlantedTensor truth)
      throws IOException {
    try (OutputCommit commit = OutputCommit.begin(files, folder, common.overwrite)) {
      for (int m = 0; m < truth.factors().size(); m++) {
        try (OutputStream out = new BufferedOutputStream(commit.createChild("mode" + m + ".npy"))) {
          NpyFile.write(out, truth.factors().get(m));
        }
      }
      try (OutputStream out = new BufferedOutputStream(commit.createChild("lambda.npy"))) {
        NpyFile.writeVector(out, truth.lambda());
      }
      commit.commit();
    }
  }
}
