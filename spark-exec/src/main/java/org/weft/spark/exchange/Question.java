package org.weft.spark.exchange;

import java.nio.ByteBuffer;

/**
 * A question for rows of another process.
 *
 * @param taker of the answer, which is its own for the call; called in another thread
 */
public record Question(RowPlace place, ByteBuffer message, Taker taker) {
  /** Takes an answer while it comes. */
  public interface Taker {
    /** The next bytes of the answer, however many there are. */
    void take(ByteBuffer bytes);

    /**
     * All bytes have come.
     *
     * @throws IllegalStateException if there must be more
     */
    void end();
  }
}
