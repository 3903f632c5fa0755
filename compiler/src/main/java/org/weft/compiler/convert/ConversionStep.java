package org.weft.compiler.convert;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.weft.tensor.TensorFormat;

/** One step of a conversion; prints itself as a line of an explanation. */
public sealed interface ConversionStep {
  /** The format after the step. */
  TensorFormat to();

  /**
   * A kernel that walks one storage in its own order and writes the other as it goes.
   *
   * @param dropZeros whether stored zeros stay behind: the source pads, so that they mean nothing
   */
  record Copy(TensorFormat from, TensorFormat to, boolean dropZeros) implements ConversionStep {
    @Override
    public String toString() {
      return "copy " + from + " to " + to + (dropZeros ? ", zeros dropped" : "");
    }
  }

  /**
   * A kernel that walks the source twice: it counts the entries of each position of the result's
   * upper levels, then places every entry behind the ones before it.
   */
  record Bucket(TensorFormat from, TensorFormat to, boolean dropZeros) implements ConversionStep {
    @Override
    public String toString() {
      return "bucket " + from + " to " + to + (dropZeros ? ", zeros dropped" : "");
    }
  }

  /**
   * The runtime's radix sort of coordinates into another mode order, in place.
   *
   * @param keys how many of the result's levels are sorted by; the others are in order already
   */
  record Sort(TensorFormat to, int keys) implements ConversionStep {
    @Override
    public String toString() {
      String modes =
          Arrays.stream(to.modeOrder())
              .limit(keys)
              .mapToObj(Integer::toString)
              .collect(Collectors.joining(", "));
      return "sort by mode " + modes + " to " + to;
    }
  }

  /**
   * A kernel that visits every stored position of the source once, in storage order, and lists the
   * entries as they come. Nothing has to be in order, and coordinates that the source repeats are
   * listed as often; positions without a coordinate are not.
   *
   * @param to coordinates alone, one mode for every level of {@code by}
   * @param by the format whose levels are listed: block numbers and diagonals are computed here
   */
  record Enumerate(TensorFormat from, TensorFormat to, TensorFormat by, boolean dropZeros)
      implements ConversionStep {
    @Override
    public String toString() {
      return "list " + from + " by the levels of " + by + (dropZeros ? ", zeros dropped" : "");
    }
  }

  /** The same arrays as {@code to}, which promises less: levels that need not be in order. */
  record Declare(TensorFormat to) implements ConversionStep {
    @Override
    public String toString() {
      return "declare as " + to;
    }
  }

  /**
   * A kernel that makes any format from a sorted list of its entries by the insert functions of the
   * levels: it counts children where a level has to know them, then puts every entry in its place.
   */
  record Assemble(TensorFormat from, TensorFormat to) implements ConversionStep {
    @Override
    public String toString() {
      return "assemble " + to;
    }
  }
}
