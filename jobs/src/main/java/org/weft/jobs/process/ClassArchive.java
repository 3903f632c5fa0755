package org.weft.jobs.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.JMRuntimeException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * Archives of the classes of a process, from which later processes load them. The launcher asks for
 * one in the first command that uses Spark, by the property {@code weft.archive}. An archive is
 * there whole or not at all: a JVM that maps a part of one ends by a signal. The launcher compares
 * its size with the file beside it.
 */
public final class ClassArchive {
  private static final String PROPERTY = "weft.archive";

  private ClassArchive() {}

  /** Writes the classes of a process to a file; none is there if the process cannot. */
  public interface Source {
    void writeTo(Path file) throws IOException;
  }

  /** Writes the archive if one is asked for; a failure costs later commands time and no more. */
  public static void writeIfWanted(PrintStream err) {
    String target = System.getProperty(PROPERTY);
    if (target != null) {
      err.println("Keeping Spark's classes for later commands, first time only ...");
      write(Path.of(target), ClassArchive::writeThisProcess);
    }
  }

  /** Writes an archive, as {@link #writeIfWanted} does. */
  public static void write(Path archive, Source source) {
    try {
      Path folder = Files.createTempDirectory(archive.getParent(), ".archive.");
      Path written = folder.resolve("classes.jsa");
      try {
        source.writeTo(written);
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
        Files.deleteIfExists(written);
        Files.delete(folder);
      }
    } catch (IOException e) {
      log("no archive of classes", e);
    }
  }

  /** Writes the classes of this process, which was started with RecordDynamicDumpInfo. */
  public static void writeThisProcess(Path file) throws IOException {
    PrintStream out = System.out;
    try {
      link();
      // The JDK prints a line of its own.
      System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, UTF_8));
      // As jcmd VM.cds does: when the JVM writes an archive at its end, nobody learns whether the
      // archive is whole.
      diagnose("vmCds", "dynamic_dump", file.toString());
    } catch (JMException | JMRuntimeException e) {
      throw new IOException("the JVM wrote no archive", e);
    } finally {
      System.setOut(out);
    }
  }

  /**
   * Links the classes that are loaded and were not used, which the JVM leaves out of an archive: a
   * class is linked before its fields are listed.
   */
  private static void link() throws JMException {
    ClassLoader loader = ClassLoader.getSystemClassLoader();
    // A line of the JVM's tree of classes has a name, and the address of the loader.
    Pattern loaded =
        Pattern.compile(
            "^[| -]*([^/ |]+)/(?:0x[0-9a-f]+|null)(?: \\(intf\\))?$", Pattern.MULTILINE);
    Matcher names = loaded.matcher(String.valueOf(diagnose("vmClassHierarchy")));
    long fields = 0;
    while (names.find()) {
      try {
        fields += Class.forName(names.group(1), false, loader).getDeclaredFields().length;
      } catch (ClassNotFoundException | LinkageError e) {
        // of another loader, or made for libraries that are not there
      }
    }
    log("linked classes with " + fields + " fields", null);
  }

  /** A logger is found when it is needed: finding one takes as long as a tenth of a small job. */
  private static void log(String what, @Nullable Exception why) {
    System.getLogger(ClassArchive.class.getName()).log(System.Logger.Level.DEBUG, what, why);
  }

  private static Object diagnose(String command, String... arguments) throws JMException {
    return ManagementFactory.getPlatformMBeanServer()
        .invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"),
            command,
            new Object[] {arguments},
            new String[] {String[].class.getName()});
  }
}
