package org.weft.engine;

import org.weft.engine.distributed.Parts;
import org.weft.statistics.TensorStatistics;

/** A tensor that statements read: its entries in parts, and what is known of them. */
public interface StatementOperand {
  /** What messages call it. */
  String uri();

  /** Statistics of the entries under original coordinates. */
  TensorStatistics originalStatistics();

  /** Whether it has a shape of its own; otherwise it is as large as the statement needs. */
  boolean declaresShape();

  /** Whether it has an entry for every cell by its kind, as an array has, and not by chance. */
  boolean isArray();

  /** The entries under original coordinates. */
  Parts parts();
}
