package org.weft.engine;

import java.util.List;
import org.weft.decomposition.AlternatingLeastSquares;
import org.weft.decomposition.CpRun;
import org.weft.decomposition.Site;
import org.weft.planner.CpdJob;
import org.weft.planner.ModePlan;
import org.weft.tensor.DenseMatrix;

/** The passes of one plan over one tensor. Closing ends them; the packed tensor stays with it. */
public interface Passes extends AutoCloseable {
  /**
   * What packing a tensor has shown.
   *
   * @param storedEntries entries after duplicates were summed
   * @param normSquared squared Frobenius norm, duplicates summed
   */
  record Packed(long storedEntries, double normSquared) {}

  /** Packs the tensor in the forms of {@code passes} that it does not have yet. */
  void pack(List<ModePlan> passes);

  /** What the form of {@code pass} holds; packs it if need be. */
  Packed packed(ModePlan pass);

  /**
   * Runs a pass and writes its result.
   *
   * @param operands one matrix for each operand of the pass's kernel, in their order
   */
  void write(ModePlan pass, List<DenseMatrix> operands, OutputTarget out);

  /**
   * Runs the sweeps of a decomposition.
   *
   * @param run whose states have the tensor's own coordinates
   */
  AlternatingLeastSquares.Model decompose(
      CpdJob job, double normSquared, CpRun run, ProgressListener progress);

  /**
   * Where the method of a {@link org.weft.planner.RowsJob} runs.
   *
   * @param normSquared of the tensor
   * @throws org.weft.error.WeftException {@code UNSUPPORTED_OPERATION} where they run elsewhere
   */
  Site site(double normSquared);

  @Override
  void close();
}
