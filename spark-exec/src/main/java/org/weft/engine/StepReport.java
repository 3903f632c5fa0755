package org.weft.engine;

/**
 * One step of a job, measured against the plan.
 *
 * @param name such as {@code mttkrp mode 1}
 * @param calls kernel calls summed up here
 * @param nonzeros entries processed per call of the step over all partitions
 * @param predictedSeconds of one execution of the step; NaN where the plan does not say
 * @param measuredSeconds elapsed time of the kernels of one execution, averaged
 * @param nonzerosPerSecond over the kernels' own time, summed over partitions
 * @param gflops floating-point operations per second of kernel time, in 1e9
 * @param gbps bytes of operands and results per second of kernel time, in 1e9
 * @param skew kernel time of the slowest task over the mean; 1 is even
 */
public record StepReport(
    String name,
    int calls,
    long nonzeros,
    double predictedSeconds,
    double measuredSeconds,
    double nonzerosPerSecond,
    double gflops,
    double gbps,
    double skew) {}
