package org.weft.compiler.eval.share;

import java.util.List;
import org.weft.tensor.ValueType;

/**
 * A product that several terms contain, computed once.
 *
 * @param key equal for equal products: the same versions of the same tensors, whose labels, other
 *     names apart, are summed and kept alike
 * @param factors with the labels of the term in which it was found first
 * @param labels of its modes
 * @param sizes of its modes
 * @param parts other shared products that it is made of
 * @param format how it is stored, as text
 * @param bytes about what it takes
 */
public record SharedProduct(
    String key,
    List<ProductTerm.Factor> factors,
    List<String> labels,
    List<Long> sizes,
    List<Part> parts,
    String format,
    ValueType type,
    double bytes) {
  public SharedProduct {
    factors = List.copyOf(factors);
    labels = List.copyOf(labels);
    sizes = List.copyOf(sizes);
    parts = List.copyOf(parts);
  }

  /**
   * Where a term contains a shared product.
   *
   * @param key of the product
   * @param factors of the term that it stands for, as bits
   * @param labels that its modes have in the term
   */
  public record Part(String key, long factors, List<String> labels) {
    public Part {
      labels = List.copyOf(labels);
    }
  }
}
