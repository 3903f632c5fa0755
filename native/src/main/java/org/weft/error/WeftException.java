package org.weft.error;

import org.jspecify.annotations.Nullable;

/**
 * The one exception type that crosses module borders. The message says what was expected, what was
 * found, where, and what to do; user-facing front ends print it without a stack trace.
 */
public final class WeftException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  public WeftException(ErrorCode code, String message) {
    this(code, message, null);
  }

  public WeftException(ErrorCode code, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  public ErrorCode code() {
    return code;
  }

  /** With the code, for logs and for programs that print what they catch. */
  @Override
  public String toString() {
    return getClass().getName() + ": " + code.label() + ": " + getMessage();
  }
}
