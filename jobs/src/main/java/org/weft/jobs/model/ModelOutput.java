package org.weft.jobs.model;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.FileAccess;
import org.weft.storage.Labels;
import org.weft.storage.NpyFile;
import org.weft.storage.OutputCommit;
import org.weft.tensor.DenseMatrix;

/**
 * The folder that a decomposition writes; it appears whole or not at all. {@code modeN.npy}: mode
 * size x rank, float64, C order; {@code lambda.npy} or {@code core.npy}; {@code modeN.tsv} for
 * labelled modes: label, then the row's weights, tab-separated, a row per coordinate; {@code
 * summary.json}.
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

  public void write(
      List<DenseMatrix> factors,
      Coupling coupling,
      Map<Integer, Labels> labels,
      ModelSummary summary)
      throws IOException {
    try (OutputCommit output = OutputCommit.begin(files, uri, overwrite)) {
      MessageDigest numbers = sha256();
      for (int m = 0; m < factors.size(); m++) {
        DenseMatrix factor = factors.get(m);
        try (OutputStream out =
            new DigestOutputStream(child(output, "mode" + m + ".npy"), numbers)) {
          NpyFile.write(out, factor);
        }
        Labels names = labels.get(m);
        if (names != null) {
          try (OutputStream out = child(output, "mode" + m + ".tsv")) {
            writeLabelled(out, factor, names);
          }
        }
      }
      try (OutputStream out = new DigestOutputStream(child(output, coupling.file()), numbers)) {
        NpyFile.writeArray(out, coupling.values(), coupling.shape());
      }
      try (OutputStream out = child(output, "summary.json")) {
        String content = "sha256:" + HexFormat.of().formatHex(numbers.digest());
        out.write(summary.with(files, content).json());
      }
      output.commit();
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static OutputStream child(OutputCommit output, String name) {
    return new BufferedOutputStream(output.createChild(name), 1 << 16);
  }

  private static void writeLabelled(OutputStream out, DenseMatrix factor, Labels labels)
      throws IOException {
    StringBuilder line = new StringBuilder();
    for (long row = 0; row < factor.rows(); row++) {
      line.setLength(0);
      line.append(labels.label(row).replace('\t', ' '));
      for (int r = 0; r < factor.columns(); r++) {
        line.append('\t').append(factor.get(row, r));
      }
      out.write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
    }
  }
}
