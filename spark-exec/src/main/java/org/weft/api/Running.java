package org.weft.api;

import java.util.UUID;
import java.util.function.Function;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.weft.engine.ProgressListener;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * A decomposition that may run, and may be cancelled by another thread: jobs of Spark are ended at
 * once, work of this process at the next step or iteration.
 */
final class Running {
  private final Weft weft;
  private final String tag = "weft-" + UUID.randomUUID();
  private CpdRun.Progress iterations = (iteration, fit, seconds) -> {};
  private CpdRun.Steps steps = description -> {};
  private volatile boolean cancelled;

  Running(Weft weft) {
    this.weft = weft;
  }

  void onIteration(CpdRun.Progress listener) {
    this.iterations = listener;
  }

  void onStep(CpdRun.Steps listener) {
    this.steps = listener;
  }

  void cancel() {
    cancelled = true;
    SparkSession spark = weft.spark();
    if (spark != null) {
      spark.sparkContext().cancelJobsWithTag(tag);
    }
  }

  <T> T run(Function<ProgressListener, T> body) {
    requireWanted(null);
    SparkSession spark = weft.spark();
    if (spark != null) {
      spark.sparkContext().addJobTag(tag);
    }
    try {
      return body.apply(listener());
    } catch (RuntimeException e) {
      requireWanted(e);
      throw e;
    } finally {
      if (spark != null) {
        spark.sparkContext().removeJobTag(tag);
      }
    }
  }

  private ProgressListener listener() {
    return new ProgressListener() {
      @Override
      public void step(String description, int done, int total) {
        requireWanted(null);
        steps.step(description);
      }

      @Override
      public void iteration(int n, double fit, double deltaFit, double seconds) {
        iterations.iteration(n, fit, seconds);
        requireWanted(null);
      }
    };
  }

  private void requireWanted(@Nullable RuntimeException cause) {
    if (cancelled) {
      throw new WeftException(ErrorCode.INTERRUPTED, "the decomposition was cancelled", cause);
    }
  }
}
