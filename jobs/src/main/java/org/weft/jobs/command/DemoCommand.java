package org.weft.jobs.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.CpdResult;
import org.weft.engine.EngineTensor;
import org.weft.engine.model.RunSummary;
import org.weft.jobs.explain.PlanReport;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.output.GivenLine;
import org.weft.jobs.output.RunReport;
import org.weft.jobs.process.SoftwareVersions;
import org.weft.jobs.run.Session;
import org.weft.jobs.wordnet.DemoText;
import org.weft.jobs.wordnet.Relation;
import org.weft.jobs.wordnet.Synset;
import org.weft.jobs.wordnet.WordNet;
import org.weft.planner.job.Job;
import org.weft.scratch.ScratchFolder;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.ModelOutput;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weft demo}. */
@Command(
    name = "demo",
    sortOptions = false,
    description = {
      "Decompose the relations of WordNet 3.1, without any file.",
      "The tensor is synset x relation x synset, with 1 where the relation holds. CP-ALS"
          + " decomposes it with compiled kernels in this process.",
      "The command prints the fit of each iteration and the strongest words of each" + " component."
    },
    footer = {"", "Example: weft demo --rank 8"})
public final class DemoCommand extends SparkCommand {
  @Option(
      names = "--rank",
      paramLabel = "R",
      defaultValue = "16",
      description = "The number of components (default: 16).")
  int rank;

  @Option(
      names = "--iterations",
      paramLabel = "N",
      defaultValue = "20",
      description = "Stop after this many iterations (default: 20).")
  int iterations;

  @Option(
      names = "--tolerance",
      paramLabel = "T",
      description = "Stop when the fit changes by less than T (default: ${DEFAULT-VALUE}).")
  double tolerance;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "The seed of the initial factors (default: ${DEFAULT-VALUE}).")
  long seed;

  @Option(
      names = "--output",
      paramLabel = "DIR",
      description = "Also write the labelled factors to this folder, as weft cpd does.")
  @Nullable String output;

  @Override
  protected void run(Console console) throws IOException {
    FileAccess files = CommonOptions.files();
    Cpd cpd = new Cpd(rank, iterations, tolerance, false, seed, common.type);
    if (output != null) {
      checkFolder(files, output);
    }
    console.step("load WordNet 3.1", 0, 1);
    WordNet wordnet = WordNet.load();
    console.result(
        "WordNet 3.1: %,d synsets x %d relations x %,d synsets, %,d triples",
        wordnet.synsets().size(),
        wordnet.relations().size(),
        wordnet.synsets().size(),
        wordnet.triples().size());
    console.result("T(s,p,o) ~ sum_r lambda(r) * S(s,r) * P(p,r) * O(o,r), R = %d", rank);
    Path folder = ScratchFolder.newFolder("demo");
    try {
      Path file = folder.resolve("wordnet.wtb");
      writeTensor(files, file.toString(), wordnet);
      decompose(console, files, file, wordnet, cpd);
    } finally {
      Files.deleteIfExists(folder.resolve("wordnet.wtb"));
      Files.deleteIfExists(folder);
    }
  }

  private void decompose(Console console, FileAccess files, Path file, WordNet wordnet, Cpd cpd)
      throws IOException {
    try (Session session = Session.open(common, "weft demo", console)) {
      EngineTensor tensor = session.read(file.toString());
      if (planOnly()) {
        Job job = cpd.job(tensor.statistics().shape());
        PlanReport.print(console, session.engine(), session.engine().plan(tensor, job), explain());
        return;
      }
      long start = System.nanoTime();
      CpdResult result = session.engine().cpd(tensor, cpd, console.progress());
      new DemoText(console, wordnet, result).print();
      RunReport.print(console, result.report());
      if (output != null) {
        RunSummary.About about =
            new RunSummary.About(
                List.of("WordNet 3.1"),
                List.of("subject", "relation", "object"),
                GivenLine.of(spec.commandLine().getParseResult().originalArgs()),
                tensor.statistics(),
                common.type,
                seed,
                (System.nanoTime() - start) * 1e-9,
                SoftwareVersions.all());
        try (ModelOutput.Staged folder = new ModelOutput(files, output, common.overwrite).begin()) {
          folder.factors(result.factors());
          folder.finish(
              ModelOutput.Coupling.lambda(result.lambda()),
              labels(wordnet),
              RunSummary.of(
                  about,
                  RunSummary.method(cpd),
                  result.norm(),
                  result.fits(),
                  result.seconds(),
                  result.converged(),
                  Map.of("lambda", result.lambda()),
                  result.report()));
        }
        console.result("wrote %s", output);
      }
    }
  }

  private static void writeTensor(FileAccess files, String uri, WordNet wordnet)
      throws IOException {
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(wordnet.shape())
            .withEntries(wordnet.triples().size())
            .withLabels(labels(wordnet));
    try (TensorOutput output = TensorFiles.create(files, uri, false, 3, options)) {
      output.write(wordnet.triples());
      output.commit();
    }
  }

  private static Map<Integer, Labels> labels(WordNet wordnet) {
    Labels synsets = Labels.of(wordnet.synsets().stream().map(Synset::label).toList());
    List<String> names = wordnet.relations().stream().map(Relation::name).toList();
    return Map.of(0, synsets, 1, Labels.of(names), 2, synsets);
  }
}
