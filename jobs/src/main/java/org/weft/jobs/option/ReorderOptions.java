package org.weft.jobs.option;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.weft.engine.Engine;
import org.weft.engine.EngineTensor;
import org.weft.engine.Ordering;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.file.PermutationFolder;
import org.weft.jobs.output.Console;
import org.weft.planner.job.Job;
import org.weft.reorder.Permutation;
import org.weft.reorder.Relabelling;
import org.weft.reorder.Reorderers;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;
import picocli.CommandLine.Option;

/** How a job's tensor is relabelled while it is packed. */
public final class ReorderOptions {
  private static final String NONE = "none";
  private static final String AUTO = "auto";

  @Option(
      order = 80,
      names = "--reorder",
      paramLabel = "METHOD",
      description = {
        "Relabel the tensor while it is packed, by a method of 'weft reorder' or a folder of"
            + " permutations. auto relabels only if it pays. Operands and results keep the"
            + " coordinates of the file (default: none)."
      })
  @Nullable
  public String reorder;

  @Option(
      order = 81,
      names = "--reorder-entries",
      paramLabel = "N",
      description =
          "Compute the order from a sample of N entries. 0 takes as many entries as the"
              + " driver's heap allows (default: 0).")
  public long entries;

  @Option(
      order = 82,
      names = "--keep-order",
      description =
          "Give results the new coordinates of --reorder, or the coordinates that a reordered"
              + " .weft tensor stores.")
  boolean keepOrder;

  @Option(
      order = 83,
      names = "--permutations",
      paramLabel = "DIR",
      description = "Write the permutations mode0.perm, mode1.perm, ... to this folder.")
  @Nullable String permutations;

  private Ordering ordering = Ordering.none();

  /** Whether a tensor may be relabelled at all. */
  public boolean isOn() {
    return reorder != null && !reorder.equals(NONE);
  }

  /** The folder of the permutations, if they are to be written. */
  public @Nullable String permutations() {
    return permutations;
  }

  /**
   * Refuses what cannot work, before anything is read.
   *
   * @param writes whether the permutations will be written
   */
  public void check(FileAccess files, String input, boolean overwrite, boolean writes)
      throws IOException {
    if (entries < 0) {
      throw usage("expected --reorder-entries of at least 0, found %d", entries);
    }
    if (entries > 0 && !isOn()) {
      throw usage("expected --reorder METHOD with --reorder-entries, found none");
    }
    boolean wanted = keepOrder || permutations != null;
    if (!isOn() && wanted && TensorFiles.permutations(files, input).isEmpty()) {
      throw usage(
          "expected --reorder METHOD with %s, or a reordered .weft tensor, found neither",
          keepOrder ? "--keep-order" : "--permutations");
    }
    if (isOn() && !method().equals(AUTO) && !isFolder(files)) {
      requireMethod();
    }
    if (permutations != null && writes) {
      OutputCommit.probe(files, permutations, overwrite, true);
    }
  }

  private void requireMethod() {
    try {
      Reorderers.named(method());
    } catch (WeftException e) {
      throw new WeftException(
          ErrorCode.USAGE,
          "--reorder: " + e.getMessage() + "; a folder of permutations, auto or none do as well",
          e);
    }
  }

  private String method() {
    return reorder == null ? NONE : reorder;
  }

  private boolean isFolder(FileAccess files) throws IOException {
    Path path = files.path(method());
    return files.fileSystem(path).exists(path);
  }

  /** The tensor that jobs are to run on. */
  public EngineTensor apply(
      Engine engine, EngineTensor tensor, Job job, FileAccess files, Console console)
      throws IOException {
    if (!isOn()) {
      return engine.orders().apply(tensor, Ordering.none(), keepOrder);
    }
    console.step("order by " + reorder, 0, 1);
    TensorShape shape = tensor.statistics().shape();
    if (method().equals(AUTO)) {
      ordering = engine.orders().choose(tensor, job, entries);
    } else if (isFolder(files)) {
      List<Permutation> modes = PermutationFolder.read(files, method(), shape);
      ordering = Ordering.given(method(), new Relabelling(modes));
    } else {
      ordering = engine.orders().find(tensor, method(), entries);
    }
    ordering.reasons().forEach(reason -> console.report("reorder: %s", reason));
    return engine.orders().apply(tensor, ordering, keepOrder);
  }

  /** The order that the tensor got: that of {@code --reorder auto} is a function of the job. */
  public String found() {
    return ordering.relabelling().isEmpty()
        ? NONE
        : String.format(
            Locale.ROOT, "%s of %s", ordering.method(), Counts.plain(ordering.entries(), "entry"));
  }

  /** Writes the permutations if asked for. */
  public void write(EngineTensor tensor, FileAccess files, boolean overwrite, Console console)
      throws IOException {
    if (permutations == null) {
      return;
    }
    Relabelling relabelling = tensor.relabelling();
    List<Permutation> modes =
        relabelling == null
            ? Permutation.identities(tensor.statistics().shape())
            : relabelling.modes();
    try (OutputCommit commit = OutputCommit.begin(files, permutations, overwrite)) {
      PermutationFolder.write(commit, modes);
      commit.commit();
    }
    console.result("wrote %s: %s", permutations, Counts.plain(modes.size(), "permutation"));
  }

  /** The labels that results have: with {@code --keep-order} they follow their coordinates. */
  public Map<Integer, Labels> labels(EngineTensor tensor, Map<Integer, Labels> labels) {
    Relabelling relabelling = tensor.relabelling();
    return relabelling == null || !keepOrder ? labels : moved(labels, relabelling);
  }

  /** Labels follow their coordinates. */
  public static Map<Integer, Labels> moved(Map<Integer, Labels> labels, Relabelling relabelling) {
    Map<Integer, Labels> moved = new HashMap<>();
    labels.forEach(
        (mode, old) -> {
          Permutation inverse = relabelling.mode(mode).inverse();
          Labels.Builder names = new Labels.Builder();
          for (long c = 0; c < inverse.size(); c++) {
            names.add(old.utf8(inverse.apply(c)));
          }
          moved.put(mode, names.build());
        });
    return moved;
  }
}
