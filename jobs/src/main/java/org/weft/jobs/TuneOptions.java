package org.weft.jobs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.weft.compiler.CompilerOptions;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.storage.FileAccess;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;
import picocli.CommandLine.Option;

/** The options of commands that evaluate one expression in this process. */
final class TuneOptions {
  @Option(
      order = 1,
      names = "--input",
      paramLabel = "NAME=PATH[:FORMAT]",
      description = {
        "An operand: .tns, .mtx, .npy, .wtb, the text ones also .gz. FORMAT says how it is stored:"
            + " CSR, CSF@2,0,1, COO, {D, CU[8,8]}, ... (default: Dense for .npy, else CSF with the"
            + " narrowest widths)."
      })
  List<String> inputs = List.of();

  @Option(
      order = 2,
      names = "--format",
      paramLabel = "NAME=FORMAT",
      description = "How the result, or an operand, is stored (default of the result: Dense).")
  Map<String, String> formats = new LinkedHashMap<>();

  @Option(
      order = 3,
      names = "--size",
      paramLabel = "LABEL=N",
      description = "Size of a label that only the result has.")
  Map<String, Long> sizes = new LinkedHashMap<>();

  @Option(
      order = 6,
      names = "--check",
      description =
          "Guard every access to an array: storage that contradicts itself is an error, not a"
              + " crash. Slower.")
  boolean check;

  /** Operands as they are loaded, and which of them have a format that was asked for. */
  record Loaded(Map<String, TensorStorage> operands, Set<String> stated) {}

  /** Reads and packs the operands into children of {@code scope}. */
  Loaded load(MemoryScope scope, CommonOptions common) throws IOException {
    FileAccess files = CommonOptions.files();
    Map<String, TensorStorage> operands = new LinkedHashMap<>();
    Set<String> stated = new LinkedHashSet<>(formats.keySet());
    for (String input : inputs) {
      int equals = input.indexOf('=');
      if (equals < 1 || equals == input.length() - 1) {
        throw WeftCommand.usage(
            "expected --input NAME=PATH[:FORMAT], found '%s'; write for example --input A=a.mtx:CSR",
            input);
      }
      String name = input.substring(0, equals);
      String path = input.substring(equals + 1);
      Optional<String> format = formatIn(path);
      if (format.isPresent()) {
        path = path.substring(0, path.length() - format.get().length() - 1);
        stated.add(name);
      }
      if (operands.containsKey(name)) {
        throw WeftCommand.usage("expected one --input for each operand, found two for %s", name);
      }
      String text = formats.getOrDefault(name, format.orElse(""));
      operands.put(name, pack(scope, files, path, text, common));
    }
    stated.retainAll(operands.keySet());
    return new Loaded(operands, stated);
  }

  /** The format after the last colon of {@code path}, which no path of a file contains. */
  private static Optional<String> formatIn(String path) {
    int colon = path.lastIndexOf(':');
    if (colon < 0) {
      return Optional.empty();
    }
    String rest = path.substring(colon + 1);
    boolean isPath = rest.isEmpty() || rest.indexOf('/') >= 0 || rest.indexOf('.') >= 0;
    return isPath ? Optional.empty() : Optional.of(rest);
  }

  private static TensorStorage pack(
      MemoryScope scope, FileAccess files, String path, String format, CommonOptions common)
      throws IOException {
    LoadedTensor read = LoadedTensor.read(files, path, common.readOptions());
    int order = read.shape().order();
    boolean dense = path.toLowerCase(Locale.ROOT).endsWith(".npy");
    TensorFormat chosen =
        format.isEmpty()
            ? dense
                ? TensorFormat.dense(order, common.type)
                : TensorFormat.csf(order, common.type).narrowedFor(read.shape(), read.entries())
            : TensorFormat.parse(format, read.shape(), read.entries(), common.type);
    return Packing.pack(scope, read.shape(), chosen, read.blocks());
  }

  /**
   * The result's format.
   *
   * @throws WeftException {@code INVALID_FORMAT}
   */
  TensorFormat resultFormat(String result, int order, ValueType type) {
    String text = formats.get(result);
    return text == null ? TensorFormat.dense(order, type) : TensorFormat.parse(text, order, type);
  }

  /** The compiler of this command: its cache is that of all commands. */
  CompilerOptions compiler() {
    CompilerOptions options = CompilerOptions.forThisHost().withCheck(check);
    return cache().map(options::withCacheDirectory).orElse(options);
  }

  /** Where compiled kernels and tuned schedules are kept; empty when the settings say nowhere. */
  static Optional<Path> cache() {
    String folder = OptionDefaults.settings().getString("kernel-cache");
    return folder.isEmpty() ? Optional.empty() : Optional.of(Path.of(folder));
  }
}
