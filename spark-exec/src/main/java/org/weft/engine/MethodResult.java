package org.weft.engine;

/**
 * What a method ended with.
 *
 * @param model of the method
 * @param norm 2-norm of the tensor, duplicates summed
 */
public record MethodResult<M>(M model, double norm, JobReport report) {}
