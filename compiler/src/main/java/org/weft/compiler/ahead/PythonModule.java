package org.weft.compiler.ahead;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.weft.compiler.ahead.Interface.LevelKind;
import org.weft.compiler.ahead.Interface.SizeRule;
import org.weft.runtime.TensorParameter;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;

/** The Python module of a library: {@code module.py} with the tensors of one statement. */
final class PythonModule {
  private static final String RESOURCE = "module.py";

  private PythonModule() {}

  static String of(Interface described, String file) {
    String operands =
        described.operands().stream()
            .map(operand -> operand.name() + "=" + operand.name())
            .collect(Collectors.joining(", "));
    String result = described.result().name();
    String call = result + " = " + described.name() + ".run(" + operands + ")";
    String tensors =
        described.tensors().stream()
            .map(tensor -> "    " + Interface.described(tensor))
            .collect(Collectors.joining("\n"));
    TensorFormat format = described.result().format();
    return Template.fill(
        template(),
        Map.ofEntries(
            Map.entry("STATEMENT", described.statement().replace("\\", "\\\\")),
            Map.entry("QUOTED", quoted(described.statement())),
            Map.entry("FILE", file.replaceAll(".*/", "")),
            Map.entry("LIBRARY", quoted(file)),
            Map.entry("MODULE", described.name()),
            Map.entry("CALL", call),
            Map.entry("TENSORS", tensors),
            Map.entry("TYPE", format.valueType().keyword()),
            Map.entry("NAME", described.name()),
            Map.entry("DTYPE", dtype(format)),
            Map.entry("VALUETYPE", Integer.toString(Glue.valueType(format.valueType()))),
            Map.entry("ADDS", described.adds() ? "True" : "False"),
            Map.entry("ORDERED", isOrdered(format) ? "True" : "False"),
            Map.entry("SPECS", list(described.tensors().stream().map(PythonModule::spec).toList())),
            Map.entry("SHAPE", list(shape(described)))));
  }

  private static String template() {
    try (InputStream in = PythonModule.class.getResourceAsStream(RESOURCE)) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String dtype(TensorFormat format) {
    return switch (format.valueType()) {
      case DOUBLE -> "float64";
      case FLOAT -> "float32";
      case INT -> "int32";
      case LONG -> "int64";
    };
  }

  private static String spec(TensorParameter tensor) {
    TensorFormat format = tensor.format();
    List<String> levels = new ArrayList<>();
    for (int level = 0; level < format.levelCount(); level++) {
      LevelSpec spec = format.level(level);
      String unique = spec.properties().unique() ? "True" : "False";
      int kind = Interface.kind(spec).ordinal();
      levels.add("(" + kind + ", " + format.modeOf(level) + ", " + unique + ")");
    }
    return "(" + quoted(tensor.name()) + ", " + quoted(kind(tensor)) + ", " + list(levels) + ")";
  }

  private static boolean isOrdered(TensorFormat format) {
    return format.levels().stream().allMatch(level -> level.properties().ordered());
  }

  /** How Python holds tensors of a format: as arrays, as matrices of SciPy, or level by level. */
  private static String kind(TensorParameter tensor) {
    TensorFormat format = tensor.format();
    List<LevelKind> kinds = format.levels().stream().map(Interface::kind).toList();
    boolean ordered = isOrdered(format) || tensor.role() == TensorParameter.Role.OUTPUT_SPARSE;
    boolean plain = Arrays.equals(format.modeOrder(), new int[] {0, 1});
    boolean unique = format.levels().stream().allMatch(level -> level.properties().unique());
    if (kinds.stream().allMatch(kind -> kind == LevelKind.DENSE)) {
      return "dense";
    } else if (kinds.equals(List.of(LevelKind.DENSE, LevelKind.COMPRESSED)) && ordered && unique) {
      return plain ? "csr" : "csc";
    } else if (kinds.equals(List.of(LevelKind.COMPRESSED, LevelKind.SINGLETON))
        && plain
        && ordered
        && !format.level(0).properties().unique()) {
      return "coo";
    }
    return "levels";
  }

  private static List<String> shape(Interface described) {
    String[] shape = new String[described.result().format().order()];
    for (SizeRule rule : described.rules()) {
      if (rule.tensor() == 0) {
        shape[rule.mode()] =
            rule.other() < 0
                ? "(-1, " + rule.size() + ")"
                : "(" + rule.other() + ", " + rule.otherMode() + ")";
      }
    }
    return Arrays.stream(shape).map(Objects::requireNonNull).toList();
  }

  private static String list(List<String> elements) {
    return "[" + String.join(", ", elements) + "]";
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }
}
