package org.weft.jobs.workflow;

import java.net.URI;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.weft.jobs.FailingFileSystem;
import org.weft.storage.file.FileAccess;

/**
 * The local file system under {@code mortal:}, as a process sees it that is killed: after some
 * operations none does anything any more, those that clean up included.
 */
public final class MortalFileSystem extends FailingFileSystem {
  static final String SCHEME = "mortal";

  private static final AtomicLong LEFT = new AtomicLong(Long.MAX_VALUE);

  /** What a process does not survive. */
  static final class Died extends Error {
    private static final long serialVersionUID = 1L;

    Died() {
      super("killed", null, false, false);
    }
  }

  static Configuration configuration() {
    Configuration configuration = new Configuration();
    configuration.set("fs." + SCHEME + ".impl", MortalFileSystem.class.getName());
    return configuration;
  }

  static FileAccess files() {
    return FileAccess.of(configuration());
  }

  /** From now on {@code operations} are left. */
  static void live(long operations) {
    LEFT.set(operations);
  }

  static boolean isDead() {
    return LEFT.get() < 0;
  }

  /** How many were done since {@link #live} was called with {@code operations}. */
  static long done(long operations) {
    return operations - LEFT.get();
  }

  @Override
  public URI getUri() {
    return URI.create(SCHEME + ":///");
  }

  @Override
  protected void before() {
    if (LEFT.decrementAndGet() < 0) {
      LEFT.set(-1);
      throw new Died();
    }
  }
}
