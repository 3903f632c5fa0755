package org.weft.jobs.file;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.reorder.Permutation;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;

/**
 * A folder of permutations: {@code mode0.perm}, {@code mode1.perm}, ... in {@link Permutation}'s
 * file form. A mode without a file keeps its labels. A permutation may be larger than the mode of a
 * file that does not say its sizes.
 */
public final class PermutationFolder {
  private PermutationFolder() {}

  public static List<Permutation> read(FileAccess files, String uri, TensorShape shape)
      throws IOException {
    List<Permutation> permutations = new ArrayList<>();
    boolean any = false;
    for (int m = 0; m < shape.order(); m++) {
      Path path = new Path(files.path(uri), name(m));
      FileSystem fs = files.fileSystem(path);
      if (!fs.exists(path)) {
        permutations.add(Permutation.identity(shape.size(m)));
        continue;
      }
      any = true;
      String shown = uri + "/" + name(m);
      Permutation permutation;
      try (InputStreamReader in = new InputStreamReader(fs.open(path), StandardCharsets.UTF_8)) {
        permutation = Permutation.readText(in, shown);
      }
      if (permutation.size() < shape.size(m)) {
        throw new WeftException(
            ErrorCode.SHAPE_MISMATCH,
            shown
                + ": expected at least one line for each of the "
                + Counts.plain(shape.size(m), "coordinate")
                + " of mode "
                + m
                + ", found "
                + permutation.size());
      }
      permutations.add(permutation);
    }
    if (!any) {
      throw new WeftException(
          ErrorCode.MALFORMED_INPUT,
          uri + ": expected a folder with mode0.perm, mode1.perm, ..., found none of them");
    }
    return permutations;
  }

  public static void write(OutputCommit output, List<Permutation> permutations) throws IOException {
    for (int m = 0; m < permutations.size(); m++) {
      try (Writer writer =
          new BufferedWriter(
              new OutputStreamWriter(output.createChild(name(m)), StandardCharsets.UTF_8))) {
        permutations.get(m).writeText(writer);
      }
    }
  }

  private static String name(int mode) {
    return "mode" + mode + ".perm";
  }
}
