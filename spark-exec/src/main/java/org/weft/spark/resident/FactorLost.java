package org.weft.spark.resident;

/** Rows of a factor went with the executors that had them. They can be computed again. */
public final class FactorLost extends RuntimeException {
  private static final long serialVersionUID = 1L;

  FactorLost(String block) {
    super("no executor has block " + block + " any more");
  }

  FactorLost(Throwable cause) {
    super("an executor with rows of a factor does not answer", cause);
  }

  /** Whether {@code failure} was caused by lost rows. */
  public static boolean isIn(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof FactorLost
          || String.valueOf(cause.getMessage()).contains(FactorLost.class.getName())) {
        return true;
      }
    }
    return false;
  }
}
