package org.weft.decomposition;

import java.util.Locale;
import org.weft.decomposition.rows.Site;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.job.Job;
import org.weft.tensor.TensorShape;
import org.weft.text.Bytes;

/**
 * An iterative method, as in its paper: statements over a sparse tensor and dense rows, small
 * algebra, a test for convergence. A method knows neither Spark nor partitions. What grows with a
 * mode, such as the rows of factors, lies at the {@link Site}.
 *
 * @param <M> the model that it ends with
 */
public interface Method<M> {
  /** The statements and the algebra that the method runs on a tensor of this shape. */
  Job job(TensorShape shape);

  /**
   * Checks that the method applies to a tensor of this order, which is known before entries are
   * read.
   *
   * @throws org.weft.error.WeftException {@code USAGE}
   */
  default void checkOrder(int order) {}

  /**
   * Checks that the method applies to a tensor of this shape.
   *
   * @throws org.weft.error.WeftException {@code USAGE}
   */
  default void check(TensorShape shape) {
    checkOrder(shape.order());
  }

  /** Bytes of all rows beside the packed tensor, and why so many, for the user. */
  default Memory memory(TensorShape shape) {
    return Memory.PLANNED;
  }

  /** What is observed after each sweep: the fit, or another number that should rise. */
  default String measure() {
    return "fit";
  }

  /**
   * Runs the method. A method that ran before may run again, at another site or after a site lost
   * rows.
   */
  M run(Site site, Observer observer);

  /** Hears of every sweep. */
  interface Observer {
    /**
     * A sweep has ended.
     *
     * @param number counts from 1
     * @param change of the fit
     */
    void sweep(int number, double fit, double change, double seconds);
  }

  /**
   * Predicted memory.
   *
   * @param bytes in all
   * @param largest what takes most of them, and what the user can do about it
   */
  record Memory(double bytes, String largest) {
    /** No more than the plan of the job predicts. */
    public static final Memory PLANNED = new Memory(0, "");

    /**
     * Checks that it is there.
     *
     * @throws WeftException {@code OUT_OF_MEMORY}
     */
    public void require(String method, double there) {
      if (bytes > there) {
        throw new WeftException(
            ErrorCode.OUT_OF_MEMORY,
            String.format(
                Locale.ROOT,
                "%s: expected to need at most %s beside the tensor, predicted %s, most"
                    + " of it for %s",
                method,
                Bytes.text(there),
                Bytes.text(bytes),
                largest));
      }
    }
  }
}
