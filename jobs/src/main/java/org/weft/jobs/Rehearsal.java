package org.weft.jobs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.weft.jobs.process.Surroundings;
import org.weft.storage.file.FileAccess;

/**
 * Small jobs, run so that the JVM notes which classes they load; the launcher makes its archive of
 * those. It writes into one folder, which the launcher removes, and into the cache of kernels that
 * {@code WEFT_KERNEL_CACHE} names. A property for that would leave out code that resolves settings.
 */
final class Rehearsal {
  private static final int ENTRIES = 200;
  private static final int SIZE = 50;

  private Rehearsal() {}

  /**
   * Runs the jobs, each twice: the first time compiles its kernels. The exit status is that of the
   * first that fails, or 0.
   *
   * @param arguments the folder
   */
  public static void main(String[] arguments) throws IOException {
    Path folder = Path.of(arguments[0]);
    List<String[]> jobs = jobs(folder);
    Surroundings.prepare(new String[0]);
    try (PrintStream silent =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
      for (String[] job : jobs) {
        int status = Weft.run(job, silent, System.err);
        if (status != 0) {
          System.exit(status);
        }
      }
    }
    useHadoop(jobs.get(0)[1]);
    Weft.main(jobs.get(0));
  }

  /** Opens a file through Hadoop, as commands do that have settings of Hadoop. */
  private static void useHadoop(String file) throws IOException {
    Configuration settings = FileAccess.defaults();
    FileAccess files = FileAccess.of(settings);
    try (InputStream in = files.fileSystem(files.path(file)).open(files.path(file))) {
      in.readAllBytes();
    }
  }

  private static List<String[]> jobs(Path folder) throws IOException {
    Path x = folder.resolve("x.tns");
    Path v = folder.resolve("v.tns");
    Files.writeString(x, entries(3), StandardCharsets.UTF_8);
    Files.writeString(v, entries(1), StandardCharsets.UTF_8);
    String weft = folder.resolve("x.weft").toString();
    String[] stats = {"stats", x.toString()};
    String[] eval = {"eval", "y(i) = T(i,j,k) * x(j)", "--input", "T=" + x, "--input", "x=" + v};
    String[] written = Arrays.copyOf(eval, eval.length + 2);
    written[eval.length] = "--output";
    written[eval.length + 1] = folder + "/y.tns";
    String[] mttkrp = {
      "mttkrp", x.toString(), "--mode", "0", "--rank", "4", "--output", folder + "/m.npy"
    };
    String[] cpd = {
      "cpd", x.toString(), "--rank", "4", "--iterations", "2", "--output", folder + "/factors"
    };
    String[] again = {
      "cpd", weft, "--rank", "4", "--iterations", "2", "--output", folder + "/factors"
    };
    String[] convert = {"convert", x.toString(), weft};
    return List.of(
        stats,
        eval,
        written,
        mttkrp,
        overwriting(mttkrp),
        cpd,
        overwriting(cpd),
        convert,
        overwriting(again));
  }

  private static String[] overwriting(String[] job) {
    String[] again = Arrays.copyOf(job, job.length + 1);
    again[job.length] = "--overwrite";
    return again;
  }

  private static String entries(int order) {
    StringBuilder text = new StringBuilder();
    for (int entry = 0; entry < ENTRIES; entry++) {
      int from = entry;
      for (int mode = 0; mode < order; mode++) {
        text.append(1 + from % SIZE).append(' ');
        from = from / 2 + 7 * mode;
      }
      text.append(entry / 8.0 + 1).append('\n');
      if (order == 1 && entry == SIZE - 1) {
        break;
      }
    }
    return text.toString();
  }
}
