package org.weft.spark.key;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/** An iterator over all that a subclass makes of the values of another iterator, in order. */
abstract class Flattened<T, R> implements Iterator<R> {
  final Iterator<T> source;
  private List<R> made = new ArrayList<>();
  private int taken;

  Flattened(Iterator<T> source) {
    this.source = source;
  }

  abstract void take(T value, List<R> into);

  @Override
  public boolean hasNext() {
    while (taken == made.size() && source.hasNext()) {
      made = new ArrayList<>();
      taken = 0;
      take(source.next(), made);
    }
    return taken < made.size();
  }

  @Override
  public R next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return made.get(taken++);
  }
}
