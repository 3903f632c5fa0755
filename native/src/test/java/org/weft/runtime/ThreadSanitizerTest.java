package org.weft.runtime;

/** Races between threads. */
class ThreadSanitizerTest extends SanitizedCode {
  ThreadSanitizerTest() {
    super("thread");
  }
}
