package org.weft.spark.key;

import java.io.Serializable;

/**
 * Keys that are numbered together: those of a mode, or of modes whose labels are compared.
 *
 * @param mode of the tensor whose labels they become
 * @param labels of the keys
 * @param least rows that a key needs to stay
 */
public record KeySpace(int mode, KeyLabels labels, long least) implements Serializable {}
