package org.weft.jobs.command;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.Schedule;
import org.weft.compiler.ahead.AheadCompiler;
import org.weft.compiler.ahead.AheadLibrary;
import org.weft.compiler.ahead.AheadRequest;
import org.weft.jobs.file.OutputPlaces;
import org.weft.jobs.output.Console;
import org.weft.runtime.CpuFeatures;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code weft compile}. It reads no tensor and has no use for the common options, whose {@code
 * --header} is another one.
 */
@Command(
    name = "compile",
    sortOptions = false,
    description = {
      "Compile one expression to a shared library for C and Python.",
      "Programs call the library without Weft. The library contains the task runtime, and"
          + " kernels for 32-bit and 64-bit coordinates and positions.",
      "The header explains the functions and structs. The Python module takes and gives"
          + " NumPy arrays and SciPy matrices without copies: 'import k; y = k.run(A=A, x=x)'."
          + " The module finds the library by the path from the module to the library.",
      "One kernel computes the expression. Formats that need a conversion are an error."
    },
    footer = {
      "",
      "Example: weft compile 'y(i) = A(i,j) * x(j)' --format A=CSR -o k.so --header k.h --python"
          + " k.py",
      "Example: weft compile 'C(i,k) = A(i,j) * B(j,k)' --format A=CSR,B=CSR,C=CSR -o spgemm.so"
          + " --cpu x86-64-v3"
    })
public final class CompileCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      paramLabel = "EXPR",
      description = "Assignment in index notation, such as 'y(i) = A(i,j) * x(j)'.")
  String expression = "";

  @Option(
      names = "--format",
      paramLabel = "NAME=FORMAT[,...]",
      description = {
        "The format of a tensor: Dense, COO, CSR, CSC, DCSR, CSF, or a list of levels such as"
            + " '{D, CU}'. A mode order may follow, as in CSF@2,0,1. Repeatable (default: Dense)."
      })
  List<String> formats = List.of();

  @Option(
      names = {"-o", "--output"},
      required = true,
      paramLabel = "FILE",
      description = "The shared library to write.")
  Path output = Path.of("");

  @Option(names = "--header", paramLabel = "FILE", description = "The C header to write.")
  @Nullable Path header;

  @Option(names = "--python", paramLabel = "FILE", description = "The Python module to write.")
  @Nullable Path python;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description =
          "The prefix of the functions, as in NAME_run (default: the name of the library).")
  @Nullable String name;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description = "Type of all values: double, float, int or long (default: ${DEFAULT-VALUE}).")
  ValueType type = ValueType.DOUBLE;

  @Option(
      names = "--size",
      paramLabel = "LABEL=N",
      description = "The size of a label. Needed for a label that only the result has. Repeatable.")
  Map<String, Long> sizes = new LinkedHashMap<>();

  @Option(
      names = "--schedule",
      paramLabel = "TEXT",
      description =
          "The schedule of the loops, such as 'order(i,k,j) parallel(i)' (default: Weft"
              + " chooses).")
  @Nullable String schedule;

  @Option(
      names = "--cpu",
      paramLabel = "LEVEL",
      description =
          "The processor level: native, x86-64-v2, x86-64-v3 or x86-64-v4 (default:"
              + " ${DEFAULT-VALUE}).")
  String cpu = "native";

  @Option(
      names = "--threads",
      paramLabel = "N",
      description =
          "The threads of a call that does not state a number. 0 takes all cores (default: 0).")
  int threads;

  @Option(names = "--overwrite", description = "Replace files that exist.")
  boolean overwrite;

  @Option(
      names = {"-q", "--quiet"},
      description = "Print errors only.")
  boolean quiet;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  private boolean help;

  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException {
    Console console = ((CommandRoot) spec.root().userObject()).console();
    console.watchSignals();
    console.setVerbosity(quiet, false);
    List<@Nullable Path> files = new ArrayList<>(List.of(output));
    files.add(header);
    files.add(python);
    FileAccess access = FileAccess.plain();
    OutputPlaces places = new OutputPlaces();
    for (Path file : files) {
      if (file != null) {
        if (!places.add(access, file.toString())) {
          throw usage(
              "%s: expected different files for the library, --header and --python, found one for"
                  + " two of them",
              file);
        }
        OutputCommit.probe(access, file.toString(), overwrite, false);
      }
    }
    AheadLibrary made = AheadCompiler.compile(request());
    write(access, output, made.library());
    if (header != null) {
      write(access, header, made.header().getBytes(StandardCharsets.UTF_8));
    }
    if (python != null) {
      write(access, python, made.python(fromModule(python)).getBytes(StandardCharsets.UTF_8));
    }
    console.note("wrote %s: %s for %s", output, Counts.of(made.library().length, "byte"), level());
    return 0;
  }

  private AheadRequest request() {
    String file = String.valueOf(output.getFileName());
    return new AheadRequest(
        name == null ? file.replaceFirst("^lib(?=.)", "").replaceFirst("\\..*", "") : name,
        expression,
        formatMap(),
        type,
        sizes,
        schedule == null ? Schedule.parallel() : Schedule.parse(schedule),
        level(),
        threads,
        importedName());
  }

  /** The name as which Python would find the library before the module. */
  private Optional<String> importedName() {
    String file = String.valueOf(output.getFileName());
    if (python == null || !file.matches("[A-Za-z_]\\w*\\.so")) {
      return Optional.empty();
    }
    String stem = file.substring(0, file.length() - ".so".length());
    Path beside = output.toAbsolutePath().normalize().resolveSibling(stem + ".py");
    return beside.equals(python.toAbsolutePath().normalize())
        ? Optional.of(stem)
        : Optional.empty();
  }

  private String level() {
    if (cpu.equals("native")) {
      return CpuFeatures.level();
    }
    if (!CpuFeatures.levels().contains(cpu)) {
      throw usage(
          "expected --cpu native, %s, found '%s'; choose the lowest level of the machines that are"
              + " to load the library",
          String.join(", ", CpuFeatures.levels()), cpu);
    }
    return cpu;
  }

  /** {@code A=CSR,B={D, CU}@1,0}: a comma before a name and {@code =} ends a format. */
  private Map<String, String> formatMap() {
    Map<String, String> map = new LinkedHashMap<>();
    for (String list : formats) {
      for (String part : list.split(",(?=\\s*[A-Za-z_]\\w*\\s*=)")) {
        int at = part.indexOf('=');
        if (at < 1 || part.substring(at + 1).isBlank()) {
          throw usage("expected --format as NAME=FORMAT, such as A=CSR, found '%s'", part);
        }
        String tensor = part.substring(0, at).strip();
        String other = map.put(tensor, part.substring(at + 1).strip());
        if (other != null) {
          throw usage(
              "expected --format of %s once, found '%s' and '%s'", tensor, other, map.get(tensor));
        }
      }
    }
    return map;
  }

  /** The library's name as the module finds it. */
  private String fromModule(Path module) {
    Path folder = module.toAbsolutePath().normalize().getParent();
    Path library = output.toAbsolutePath().normalize();
    return folder == null ? library.toString() : folder.relativize(library).toString();
  }

  /** As one commit: who has an old file open keeps it. */
  private void write(FileAccess access, Path file, byte[] bytes) throws IOException {
    try (OutputCommit commit = OutputCommit.begin(access, file.toString(), overwrite)) {
      try (OutputStream out = commit.create()) {
        out.write(bytes);
      }
      commit.commit();
    }
  }
}
