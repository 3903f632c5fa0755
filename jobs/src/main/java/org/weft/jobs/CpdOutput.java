package org.weft.jobs;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.weft.engine.CpdResult;
import org.weft.storage.FileAccess;
import org.weft.storage.Labels;
import org.weft.storage.NpyFile;
import org.weft.storage.OutputCommit;
import org.weft.tensor.DenseMatrix;

/**
 * The folder that {@code weft cpd} writes; it appears whole or not at all. {@code modeN.npy}: mode
 * size x R, float64, C order; {@code lambda.npy}: R; {@code modeN.tsv} for labelled modes: label,
 * then R weights, tab-separated, a row per coordinate; {@code summary.json}.
 */
final class CpdOutput {
  private final FileAccess files;
  private final String uri;
  private final boolean overwrite;

  CpdOutput(FileAccess files, String uri, boolean overwrite) {
    this.files = files;
    this.uri = uri;
    this.overwrite = overwrite;
  }

  void write(CpdResult result, Map<Integer, Labels> labels, CpdSummary summary) throws IOException {
    try (OutputCommit output = OutputCommit.begin(files, uri, overwrite)) {
      for (int m = 0; m < result.factors().size(); m++) {
        DenseMatrix factor = result.factors().get(m);
        try (OutputStream out = child(output, "mode" + m + ".npy")) {
          NpyFile.write(out, factor);
        }
        Labels names = labels.get(m);
        if (names != null) {
          try (OutputStream out = child(output, "mode" + m + ".tsv")) {
            writeLabelled(out, factor, names);
          }
        }
      }
      try (OutputStream out = child(output, "lambda.npy")) {
        NpyFile.writeVector(out, result.lambda());
      }
      try (OutputStream out = child(output, "summary.json")) {
        out.write(summary.json());
      }
      output.commit();
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
