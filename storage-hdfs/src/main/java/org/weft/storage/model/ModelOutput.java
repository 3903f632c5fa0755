package org.weft.storage.model;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Labels;
import org.weft.storage.document.TabSeparated;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.Fingerprints;
import org.weft.storage.file.OutputCommit;
import org.weft.storage.npy.NpyFile;
import org.weft.storage.npy.NpyRows;
import org.weft.tensor.DenseMatrix;

/**
 * The folder that a decomposition writes; it appears whole or not at all. {@code modeN.npy}: mode
 * size x rank, float64, C order; {@code lambda.npy} or {@code core.npy}; {@code modeN.tsv} for
 * labelled modes: label, then the row's weights, tab-separated, a row per coordinate; {@code
 * information.npy} after an update; {@code summary.json}.
 */
public final class ModelOutput {
  private final FileAccess files;
  private final String uri;
  private final boolean overwrite;

  public ModelOutput(FileAccess files, String uri, boolean overwrite) {
    this.files = files;
    this.uri = uri;
    this.overwrite = overwrite;
  }

  /** What couples the factors: weights, or a core. */
  @SuppressWarnings("ArrayRecordComponent")
  public record Coupling(String file, double[] values, long... shape) {
    public static Coupling lambda(double[] lambda) {
      return new Coupling("lambda.npy", lambda, lambda.length);
    }

    public static Coupling core(double[] core, int... ranks) {
      return new Coupling("core.npy", core, IntStream.of(ranks).asLongStream().toArray());
    }
  }

  /**
   * Refuses to overwrite a folder that no decomposition wrote, and one that cannot be written.
   *
   * @throws WeftException {@code OUTPUT_EXISTS}
   */
  public static void check(FileAccess files, String target, boolean overwrite) throws IOException {
    OutputCommit.probe(files, target, overwrite, true);
    Path folder = files.path(target);
    FileSystem system = files.fileSystem(folder);
    if (overwrite
        && system.exists(folder)
        && system.listStatus(folder).length > 0
        && !system.exists(new Path(folder, "summary.json"))) {
      throw new WeftException(
          ErrorCode.OUTPUT_EXISTS,
          target
              + ": expected the folder of an earlier decomposition to overwrite, found other files"
              + " and no summary.json; name another folder");
    }
  }

  /** Where the folder is going to be. */
  public String uri() {
    return uri;
  }

  /** Begins the folder, which is there when it is finished. */
  public Staged begin() {
    OutputCommit output = OutputCommit.begin(files, uri, overwrite);
    output.createDirectory();
    return new Staged(output);
  }

  /** The folder before it is there. */
  public final class Staged implements AutoCloseable {
    private final OutputCommit output;
    private int order;

    Staged(OutputCommit output) {
      this.output = output;
    }

    /** Files for the factors of all modes, to be written where these lie, in place of others. */
    public List<String> factorFiles(int modes) {
      order = modes;
      return IntStream.range(0, modes).mapToObj(m -> output.stagingUri() + "/" + file(m)).toList();
    }

    /** Writes factors of this process. */
    public void factors(List<DenseMatrix> factors) throws IOException {
      order = factors.size();
      for (int m = 0; m < order; m++) {
        try (OutputStream out = child(output, file(m))) {
          NpyFile.write(out, factors.get(m));
        }
      }
    }

    /**
     * Writes what the next update needs.
     *
     * @param information R x R numbers for each mode
     */
    public void information(double[][] information, int rank) throws IOException {
      try (OutputStream out = child(output, ModelFolder.INFORMATION)) {
        NpyFile.write(out, ModelFolder.stacked(information, rank));
      }
    }

    /** Writes what is not a factor, and publishes the folder. */
    public void finish(Coupling coupling, Map<Integer, Labels> labels, ModelSummary summary)
        throws IOException {
      for (int m = 0; m < order; m++) {
        Labels names = labels.get(m);
        if (names != null) {
          NpyRows factor = NpyRows.open(files, output.stagingUri() + "/" + file(m));
          try (OutputStream out = child(output, "mode" + m + ".tsv")) {
            writeLabelled(out, factor, names);
          }
        }
      }
      try (OutputStream out = child(output, coupling.file())) {
        NpyFile.writeArray(out, coupling.values(), coupling.shape());
      }
      String content = new Fingerprints(files).of(output.stagingUri()).orElseThrow().sum();
      try (OutputStream out = child(output, "summary.json")) {
        out.write(summary.sealed(files, content).json());
      }
      output.commit();
    }

    @Override
    public void close() {
      output.close();
    }
  }

  private static String file(int mode) {
    return "mode" + mode + ".npy";
  }

  /** The factors of the finished folder. */
  public List<NpyRows> written(int order) {
    return IntStream.range(0, order)
        .mapToObj(m -> NpyRows.open(files, uri + "/" + file(m)))
        .toList();
  }

  private static OutputStream child(OutputCommit output, String name) {
    return new BufferedOutputStream(output.createChild(name), 1 << 16);
  }

  private static void writeLabelled(OutputStream out, NpyRows factor, Labels labels) {
    TabSeparated line = new TabSeparated();
    factor.forEach(
        0,
        factor.rows(),
        (row, values) -> {
          line.add(labels.label(row));
          for (double value : values) {
            line.add(value);
          }
          out.write(line.endLine().take().getBytes(StandardCharsets.UTF_8));
        });
  }
}
