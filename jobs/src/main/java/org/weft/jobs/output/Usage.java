package org.weft.jobs.output;

import java.util.Locale;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** A command line that cannot be what was meant. */
public final class Usage {
  private Usage() {}

  /** The error to throw: {@code USAGE}, exit status 2. */
  public static WeftException usage(String format, Object... arguments) {
    return new WeftException(ErrorCode.USAGE, String.format(Locale.ROOT, format, arguments));
  }
}
