package org.weft.engine;

import java.io.IOException;
import java.util.List;
import org.weft.decomposition.Method;
import org.weft.decomposition.rows.RowSource;
import org.weft.planner.ModePlan;

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
   * @param operands rows for each operand of the pass's kernel, in their order
   */
  void write(ModePlan pass, List<RowSource> operands, OutputTarget out);

  /**
   * Runs the method whose job this is.
   *
   * @param packed of the tensor
   * @param keep what is to be kept of the rows, which end with this call
   */
  <M> M run(Method<M> method, Packed packed, ProgressListener progress, Engine.Keep<M> keep)
      throws IOException;

  @Override
  void close();
}
