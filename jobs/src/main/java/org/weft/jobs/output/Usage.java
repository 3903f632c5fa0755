package org.weft.jobs.output;

import java.util.Locale;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * The error for a command line that has no meaning: options that contradict each other, or a value
 * that an option does not take.
 */
public final class Usage {
  private Usage() {}

  /** The error to throw: {@code USAGE}, exit status 2. */
  public static WeftException usage(String format, Object... arguments) {
    return new WeftException(ErrorCode.USAGE, String.format(Locale.ROOT, format, arguments));
  }
}
