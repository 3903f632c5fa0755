package org.weft.tensor;

import java.util.List;

/**
 * Forms of one tensor that were packed together; the caller closes them.
 *
 * @param forms in the order in which their formats were given
 * @param sumOfSquares of the stored values of the first form, the same for any number of threads; 0
 *     without a form
 * @param duplicates entries that repeated the coordinates of another
 */
public record PackedForms(List<TensorStorage> forms, double sumOfSquares, long duplicates)
    implements AutoCloseable {
  public PackedForms {
    forms = List.copyOf(forms);
  }

  @Override
  public void close() {
    forms.forEach(TensorStorage::close);
  }
}
