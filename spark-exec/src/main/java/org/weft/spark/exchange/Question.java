package org.weft.spark.exchange;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * A message to another process.
 *
 * @param taker of the answer, which is its own for the call; called in another thread
 */
public record Question(RowPlace place, ByteBuffer message, Consumer<ByteBuffer> taker) {}
