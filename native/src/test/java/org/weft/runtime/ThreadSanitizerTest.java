package org.weft.runtime;

import org.junit.jupiter.api.Tag;

/** Races between threads. */
@Tag("long")
class ThreadSanitizerTest extends SanitizedCode {
  ThreadSanitizerTest() {
    super("thread");
  }
}
