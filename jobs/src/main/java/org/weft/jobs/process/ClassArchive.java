package org.weft.jobs.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import javax.management.JMException;
import javax.management.JMRuntimeException;
import javax.management.ObjectName;

/**
 * Writes the classes of this process to an archive, from which later processes load them. The
 * launcher asks for it in the first command that uses Spark, by the property {@code weft.archive}.
 * An archive is there whole or not at all: a JVM that maps a part of one ends by a signal. The
 * launcher compares its size with the file beside it.
 */
public final class ClassArchive {
  private static final String PROPERTY = "weft.archive";

  private ClassArchive() {}

  /** Writes the archive if one is asked for; a failure costs later commands time and no more. */
  public static void writeIfWanted(PrintStream err) {
    String target = System.getProperty(PROPERTY);
    if (target == null) {
      return;
    }
    err.println("Keeping Spark's classes for later commands, first time only ...");
    Path archive = Path.of(target);
    try {
      Path folder = Files.createTempDirectory(archive.getParent(), ".archive.");
      Path written = folder.resolve("classes.jsa");
      PrintStream out = System.out;
      try {
        // The JDK prints a line of its own.
        System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, UTF_8));
        // As jcmd VM.cds does: when the JVM writes an archive at its end, nobody learns whether the
        // archive is whole.
        ManagementFactory.getPlatformMBeanServer()
            .invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "vmCds",
                new Object[] {new String[] {"dynamic_dump", written.toString()}},
                new String[] {String[].class.getName()});
        if (Files.exists(written)) {
          Files.move(written, archive, StandardCopyOption.ATOMIC_MOVE);
          Path note = folder.resolve("size");
          Files.writeString(note, Files.size(archive) + "\n");
          Files.move(
              note,
              archive.resolveSibling(archive.getFileName() + ".size"),
              StandardCopyOption.ATOMIC_MOVE);
        }
      } finally {
        System.setOut(out);
        Files.deleteIfExists(written);
        Files.delete(folder);
      }
    } catch (IOException | JMException | JMRuntimeException e) {
      System.getLogger(ClassArchive.class.getName())
          .log(System.Logger.Level.DEBUG, "no archive of classes", e);
    }
  }
}
