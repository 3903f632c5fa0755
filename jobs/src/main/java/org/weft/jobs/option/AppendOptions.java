package org.weft.jobs.option;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.cp.CpHistory;
import org.weft.decomposition.cp.Cpd;
import org.weft.decomposition.cp.StreamingUpdate;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.Engine;
import org.weft.engine.EngineTensor;
import org.weft.engine.FileRows;
import org.weft.engine.MethodResult;
import org.weft.engine.entries.NewEntries;
import org.weft.engine.model.FactorFiles;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.output.Console;
import org.weft.storage.Labels;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.MatchedLabels;
import org.weft.storage.model.ModelFolder;
import org.weft.storage.model.ModelOutput;
import org.weft.storage.npy.NpyRows;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;
import picocli.CommandLine.Option;

/** An update of an earlier model by the entries of new slices. */
public final class AppendOptions {
  @Option(
      order = 65,
      names = "--append",
      paramLabel = "MODEL",
      description =
          "Update this earlier model of weft cpd, a folder or a pointer. New entries are the"
              + " entries of IN in slices that the model lacks, in any modes. The model stands for"
              + " all other entries. IN may hold the new entries only, or the whole tensor. The fit"
              + " is the fit of the new cells.")
  @Nullable String append;

  @Option(
      order = 66,
      names = "--forget",
      paramLabel = "F",
      description =
          "With --append: multiply the weight of the past by F in each update. F is above 0 and"
              + " at most 1. 0.95 to 0.99 follows a drift (default: 1).")
  double forget = 1;

  private @Nullable CpHistory history;
  private String unlabelled = "";

  public boolean isOn() {
    return append != null;
  }

  /** Refuses a weight that cannot be, or that there is nothing to apply to. */
  public void checkForget() {
    if (!(forget > 0 && forget <= 1)) {
      throw usage("expected --forget above 0 and at most 1, found %s", forget);
    }
    if (forget != 1 && append == null) {
      throw usage("expected --append MODEL with --forget %s, found none", forget);
    }
  }

  private String model() {
    return Objects.requireNonNull(append);
  }

  private CpHistory history() {
    return Objects.requireNonNull(history);
  }

  /**
   * Opens the model.
   *
   * @param labels of the tensor's modes
   * @param modes of the tensor
   * @param names of its modes, if they have names
   * @param nonnegative whether that is asked for
   * @return whether factors are nonnegative
   */
  public boolean check(
      FileAccess files,
      String input,
      Map<Integer, Labels> labels,
      int modes,
      List<String> names,
      boolean nonnegative,
      StartOptions starts,
      ConstraintOptions constraints,
      ReorderOptions order)
      throws IOException {
    if (!starts.areDefault() || !constraints.given.isEmpty() || constraints.ridge != 0) {
      throw usage(
          "expected --append without --starts, --init, --constrain and --ridge: an update begins"
              + " with its model");
    }
    if (order.isOn() || order.keepOrder) {
      throw usage("expected --append without --reorder and --keep-order, found one of them");
    }
    ModelFolder folder = ModelFolder.open(files, model());
    if (!folder.method().equals("cpd") || folder.isConstrained()) {
      throw usage(
          "--append %s: expected a model of weft cpd without constraints of modes, found %s",
          model(), folder.method().equals("cpd") ? "constraints" : "one of " + folder.method());
    }
    if (folder.order() != modes) {
      throw usage(
          "--append %s: expected a model of %s, as the tensor, found %d",
          model(), Counts.plain(modes, "mode"), folder.order());
    }
    if (nonnegative && !folder.isNonnegative()) {
      throw usage(
          "--append %s: expected a model made with --nonnegative, found one without", model());
    }
    MatchedLabels matched = MatchedLabels.of(input, names, labels, model(), folder);
    matched.requireNames(names);
    matched.requireSame();
    unlabelled =
        folder.labels().keySet().stream()
            .filter(mode -> !labels.containsKey(mode))
            .map(mode -> folder.modeNames().get(mode))
            .collect(Collectors.joining(", "));
    double[] lambda = folder.lambda();
    List<RowSource> factors = new ArrayList<>();
    for (int mode = 0; mode < modes; mode++) {
      NpyRows rows = folder.rows(mode, lambda.length);
      factors.add(FileRows.of(rows));
    }
    history = new CpHistory(factors, lambda, folder.information());
    return folder.isNonnegative();
  }

  /** The rank of the model, once that is open. Refuses any other that is asked for. */
  public int rank(@Nullable Integer asked) {
    int rank = history().lambda().length;
    if (asked != null && asked != rank) {
      throw usage(
          "--append %s: expected the rank of the model, %d, found %d", model(), rank, asked);
    }
    return rank;
  }

  /** The update. */
  public StreamingUpdate method(Cpd cpd) {
    return new StreamingUpdate(cpd, history(), forget);
  }

  /** The entries of new slices. */
  public EngineTensor fresh(Engine engine, EngineTensor all, Console console) {
    TensorShape before = history().shape();
    TensorShape given = all.originalStatistics().shape();
    TensorShape after =
        TensorShape.of(
            IntStream.range(0, before.order())
                .mapToLong(mode -> Math.max(before.size(mode), given.size(mode)))
                .toArray());
    EngineTensor fresh =
        engine.select(all, "new entries of " + all.uri(), after, NewEntries.outside(before));
    long entries = fresh.statistics().entries();
    if (entries == 0) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          String.format(
              Locale.ROOT,
              "%s: expected entries in slices after those of the model %s, which has %s, found"
                  + " none; give new slices the coordinates that follow, or go on from the model"
                  + " with --init",
              all.uri(),
              model(),
              before));
    }
    if (!unlabelled.isEmpty()) {
      console.note(
          "%s has labels of %s, and %s has none: slices are matched by their numbers, and the new"
              + " model has no labels there",
          model(), unlabelled, all.uri());
    }
    console.note(
        "%s of new slices; the model stands for %s",
        Counts.of(entries, "entry"), Counts.of(all.statistics().entries() - entries, "other"));
    return fresh;
  }

  /** Of which the bits of the updated model are a function, beside those of any model. */
  public Map<String, String> arguments() {
    Map<String, String> arguments = new LinkedHashMap<>();
    arguments.put("--append", model());
    arguments.put("the model's shape", history().shape().toString());
    arguments.put("the model's lambda", Arrays.toString(history().lambda()));
    arguments.put("--forget", Double.toString(forget));
    return arguments;
  }

  /** Updates the model. */
  public MethodResult<StreamingUpdate.Model> run(
      Engine engine,
      EngineTensor fresh,
      Cpd cpd,
      CheckpointOptions.Runs kept,
      ModelOutput.Staged folder,
      Console console)
      throws IOException {
    StreamingUpdate method = method(cpd);
    Checkpoints checkpoints =
        kept.of(
            0,
            cpd.seed(),
            fresh,
            () -> engine.plan(fresh, method.job(fresh.statistics().shape())),
            Map.of("--iterations", cpd.maxIterations()));
    MethodResult<StreamingUpdate.Model> result =
        engine.run(
            fresh,
            method.keeping(checkpoints),
            console.progress(),
            (model, site) -> FactorFiles.write(folder, model.factors(), site));
    folder.information(result.model().information(), cpd.rank());
    return result;
  }

  /** What a summary says. */
  public Map<String, Object> outcome() {
    Map<String, Object> outcome = new LinkedHashMap<>();
    outcome.put("append", model());
    outcome.put("forget", forget);
    return outcome;
  }
}
