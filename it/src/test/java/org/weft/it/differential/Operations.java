package org.weft.it.differential;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs an operation with the command on a tensor's file and checks its result file.
 *
 * @param partitions 0 for what the planner takes
 * @param spark in local mode, which starts anew for each command; without it the engine of one
 *     process
 */
record Operations(Entries tensor, Path input, Path folder, int partitions, boolean spark) {

  void mttkrp(int mode, int rank, long seed) {
    double[][][] factors = new double[tensor.order()][][];
    for (int other = 0; other < tensor.order(); other++) {
      factors[other] = Npy.random(tensor.sizes()[other], rank, seed + other);
      Npy.write(folder.resolve("mode" + other + ".npy"), factors[other], rank);
    }
    Path output = fresh("mttkrp.npy");
    run("mttkrp", mode, output, "--rank", rank, "--factors", folder);
    ResultCheck.dense(
        output, NaiveEvaluator.mttkrp(tensor, mode, factors, rank), tensor.sizes()[mode]);
  }

  void ttm(int mode, int rank, long seed) {
    double[][] matrix = Npy.random(tensor.sizes()[mode], rank, seed);
    Npy.write(folder.resolve("matrix.npy"), matrix, rank);
    Path output = fresh("ttm.tns");
    run("ttm", mode, output, "--matrix", folder.resolve("matrix.npy"));
    ResultCheck.sparse(output, NaiveEvaluator.contract(tensor, mode, matrix, rank), mode);
  }

  void ttv(int mode, long seed) {
    double[][] column = Npy.random(tensor.sizes()[mode], 1, seed);
    double[] vector = new double[column.length];
    for (int i = 0; i < vector.length; i++) {
      vector[i] = column[i][0];
    }
    Npy.writeVector(folder.resolve("vector.npy"), vector);
    Path output = fresh("ttv.tns");
    run("ttv", mode, output, "--vector", folder.resolve("vector.npy"));
    ResultCheck.sparse(output, NaiveEvaluator.contract(tensor, mode, column, 1), -1);
  }

  private void run(String operation, int mode, Path output, Object... more) {
    List<Object> words = new ArrayList<>(List.of(operation, input, "--mode", mode, "-q"));
    words.addAll(List.of(more));
    words.addAll(List.of("--output", output, "--overwrite"));
    if (partitions > 0) {
      words.addAll(List.of("--partitions", partitions));
    }
    try {
      if (spark) {
        WeftCommand.run(words.toArray());
      } else {
        WeftCommand.runAlone(words.toArray());
      }
    } catch (AssertionError e) {
      throw new AssertionError(tensor + ": " + e.getMessage(), e);
    }
    ResultCheck.check(Files.exists(output), tensor + ": " + operation + " left no " + output);
  }

  private Path fresh(String name) {
    return folder.resolve(name);
  }
}
