package org.weft.spark.wire;

import java.io.Serializable;
import java.util.Iterator;

/** What a task makes of the elements of a partition. */
@FunctionalInterface
public interface PartitionWork<T, R> extends Serializable {
  Iterator<R> of(Iterator<T> elements);

  /** What a task makes of one element. */
  @FunctionalInterface
  interface ElementWork<T, R> extends Serializable {
    R of(T element);
  }

  /** The elements as they are. */
  static <T> PartitionWork<T, T> none() {
    return elements -> elements;
  }

  /** The same for each element. */
  static <T, R> PartitionWork<T, R> each(ElementWork<T, R> work) {
    return elements ->
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return elements.hasNext();
          }

          @Override
          public R next() {
            return work.of(elements.next());
          }
        };
  }
}
