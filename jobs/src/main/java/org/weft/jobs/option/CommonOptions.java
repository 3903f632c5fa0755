package org.weft.jobs.option;

import static org.weft.jobs.output.Usage.usage;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.CompilerOptions;
import org.weft.engine.EngineOptions;
import org.weft.engine.ProcessMemory;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.help.CommonHelp;
import org.weft.jobs.process.Surroundings;
import org.weft.planner.PlannerOptions;
import org.weft.planner.machine.MachineFile;
import org.weft.planner.machine.MachineParameters;
import org.weft.storage.ReadOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.ValueType;
import picocli.CommandLine.Option;

/** The options that every command has; its help names them, see {@link CommonHelp}. */
public final class CommonOptions {
  /** Its name; {@code explain} has an option of this name itself. */
  public static final String MEMORY = "--memory";

  @Option(
      order = 101,
      hidden = true,
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  private boolean help;

  @Option(
      order = 102,
      hidden = true,
      names = "--master",
      paramLabel = "URL",
      description =
          "The Spark master, such as local[2] or spark://host:7077. If spark-submit has a"
              + " master, it takes precedence.")
  @Nullable
  public String master;

  @Option(
      order = 103,
      hidden = true,
      names = "--partitions",
      paramLabel = "N",
      description = "The partitions of each mode. 0 chooses from memory and cores (default: 0).")
  public int partitions;

  @Option(
      order = 104,
      hidden = true,
      names = "--threads",
      paramLabel = "N",
      description =
          "The cores to use: of the process in local mode, of each task on a cluster. 0 takes"
              + " all cores in local mode, and one per task on a cluster (default: 0).")
  public int threads;

  @Option(
      order = 104,
      hidden = true,
      names = MEMORY,
      paramLabel = "SIZE",
      description =
          "The memory of the process, such as 2g or 6g. Parts of a tensor that do not fit lie"
              + " in files on the local disk. In one process, eval and run without --reproducible"
              + " have no parts. They take the memory that operands and results need (default: most"
              + " of the machine's memory).")
  public @Nullable String memory;

  @Option(
      order = 104,
      hidden = true,
      names = "--machine",
      paramLabel = "FILE",
      description =
          "The file of the machine that kernels are planned for. 'weft bench --calibrate FILE'"
              + " writes it (default: usual rates with this machine's caches).")
  public @Nullable String machine;

  @Option(
      order = 105,
      hidden = true,
      names = "--type",
      paramLabel = "TYPE",
      description =
          "The value type of the kernels: double or float. eval and convert also take int and"
              + " long (default: double).")
  public ValueType type = ValueType.DOUBLE;

  @Option(
      order = 106,
      hidden = true,
      names = "--dry-run",
      description = "Check everything, say what would be done, and write nothing.")
  public boolean dryRun;

  @Option(
      order = 107,
      hidden = true,
      names = "--overwrite",
      description = "Replace an output that exists.")
  public boolean overwrite;

  @Option(
      order = 108,
      hidden = true,
      names = "--zero-based",
      description = "Count coordinates in .tns files and in printed lines from 0, not from 1.")
  public boolean zeroBased;

  @Option(
      order = 108,
      hidden = true,
      names = "--header",
      paramLabel = "KIND",
      description =
          "The lines before the entries of .tns: auto, none, extended (order nnz / sizes),"
              + " order (order / sizes) or sizes (sizes nnz). A slash separates lines (default:"
              + " auto).")
  ReadOptions.Header header = ReadOptions.Header.AUTO;

  @Option(
      order = 109,
      hidden = true,
      names = "--allow-nonfinite",
      description = "Accept NaN and infinities as values.")
  public boolean allowNonfinite;

  @Option(
      order = 110,
      hidden = true,
      names = "--check",
      description =
          "Compile bounds checks into the kernels. A wrong access then ends in an error instead"
              + " of a crash. Kernels are slower.")
  public boolean check;

  @Option(
      order = 111,
      hidden = true,
      names = "--reproducible",
      description =
          "Give the same bits in one process and on a cluster, on any number of threads, cores"
              + " and executors. This takes some time. Without the option, only runs with the same"
              + " numbers of threads, cores and executors give the same bits.")
  public boolean reproducible;

  @Option(
      order = 112,
      hidden = true,
      names = {"-q", "--quiet"},
      description = "Print results and errors only.")
  public boolean quiet;

  @Option(
      order = 113,
      hidden = true,
      names = {"-v", "--verbose"},
      description = "Print Spark's log, and stack traces of errors.")
  public boolean verbose;

  /**
   * A size such as 2g.
   *
   * @throws WeftException {@code USAGE}
   */
  public static long bytes(String size) {
    long bytes;
    try {
      bytes = ConfigFactory.parseString("memory = " + size).getBytes("memory");
    } catch (ConfigException e) {
      bytes = 0;
    }
    if (bytes <= 0) {
      throw usage("%s %s: expected a size, for example 2g or 32g", MEMORY, size);
    }
    return bytes;
  }

  /**
   * Refuses what no command could use, whether or not this one does.
   *
   * @throws WeftException of kind USER
   */
  public void refuseNonsense() {
    if (memory != null) {
      bytes(memory);
    }
    if (machine != null) {
      machine();
    }
  }

  public ReadOptions readOptions() {
    return ReadOptions.defaults()
        .withZeroBased(zeroBased)
        .withHeader(header)
        .withType(type)
        .withAllowNonfinite(allowNonfinite);
  }

  /** For commands that compile in this process: this host, and the kernel cache of the settings. */
  public CompilerOptions compilerOptions() {
    CompilerOptions options = CompilerOptions.forThisHost().withCheck(check);
    return kernelCache().map(options::withCacheDirectory).orElse(options);
  }

  /** For commands that run on an engine. */
  public EngineOptions engineOptions() {
    PlannerOptions planner =
        PlannerOptions.defaults().withPartitions(partitions).withReproducible(reproducible);
    if (machine != null) {
      planner = planner.withMachine(machine());
    }
    return new EngineOptions(
        planner,
        threads,
        memory == null ? 0 : ProcessMemory.forTensors(bytes(memory)),
        kernelCache(),
        check,
        CompilerOptions.forThisHost().optimisation(),
        Optional.empty());
  }

  /**
   * The machine of {@code --machine}, or this one.
   *
   * @throws WeftException {@code INPUT_NOT_FOUND}, {@code MALFORMED_INPUT}
   */
  public MachineParameters machine() {
    return machine == null
        ? MachineParameters.ofThisMachine()
        : MachineFile.parse(machine, lines(machine));
  }

  private static List<String> lines(String uri) {
    FileAccess files = files();
    org.apache.hadoop.fs.Path path = files.path(uri);
    try (InputStream in = files.fileSystem(path).open(path)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (FileNotFoundException e) {
      throw new WeftException(
          ErrorCode.INPUT_NOT_FOUND,
          "expected the file of a machine, found no "
              + uri
              + "; 'weft bench --calibrate' makes one",
          e);
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  private static Optional<Path> kernelCache() {
    String folder = OptionDefaults.settings().getString("kernel-cache");
    return folder.isEmpty() ? Optional.empty() : Optional.of(Path.of(folder));
  }

  /** File systems as Spark will see them, before Spark runs. */
  public static FileAccess files() {
    Map<String, String> settings = new HashMap<>();
    String prefix = "spark.hadoop.";
    for (String name : System.getProperties().stringPropertyNames()) {
      if (name.startsWith(prefix)) {
        settings.put(name.substring(prefix.length()), System.getProperty(name));
      }
    }
    if (settings.isEmpty()) {
      return Surroundings.arePlain() ? FileAccess.plain() : FileAccess.local();
    }
    Configuration configuration = FileAccess.defaults();
    settings.forEach(configuration::set);
    return FileAccess.of(configuration);
  }
}
