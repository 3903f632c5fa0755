package org.weft.spark.output;

import java.io.Serializable;
import java.util.Comparator;
import scala.Tuple2;

/** Order of result blocks: first row or slice, then partition and number within the partition. */
final class BlockOrder implements Comparator<Tuple2<Long, Long>>, Serializable {
  private static final long serialVersionUID = 1L;

  @Override
  public int compare(Tuple2<Long, Long> a, Tuple2<Long, Long> b) {
    int byRow = Long.compare(a._1(), b._1());
    return byRow != 0 ? byRow : Long.compare(a._2(), b._2());
  }
}
