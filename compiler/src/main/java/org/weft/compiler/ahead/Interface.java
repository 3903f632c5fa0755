package org.weft.compiler.ahead;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.loop.LoopFunction;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.runtime.KernelSignature;
import org.weft.runtime.ModeLabel;
import org.weft.runtime.StandaloneRuntime;
import org.weft.runtime.TensorParameter;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;

/**
 * What callers of a library have to know.
 *
 * @param name how the names of its functions begin
 * @param statement what it computes, on one line
 * @param adds whether the statement is {@code +=} or {@code -=}
 * @param tensors the result first
 * @param rules which sizes agree; those of the result last
 * @param kernels one, or one for 32-bit and one for 64-bit indices
 * @param module as which Python imports the library itself
 */
public record Interface(
    String name,
    String statement,
    boolean adds,
    List<TensorParameter> tensors,
    List<SizeRule> rules,
    List<KernelSignature> kernels,
    Optional<String> module) {
  /** Names of arguments of the Python module's {@code run}, which no operand can have. */
  private static final Set<String> ARGUMENTS = Set.of("out", "threads", "check");

  /**
   * A mode has a size: that of another mode, or a constant.
   *
   * @param other number of the tensor with the same size; -1 for {@code size}
   */
  public record SizeRule(int tensor, int mode, int other, int otherMode, long size, String label) {}

  static Interface of(AheadRequest request, Statement statement, List<LoopFunction> functions) {
    List<KernelSignature> kernels = functions.stream().map(LoopFunction::signature).toList();
    List<TensorParameter> tensors = kernels.get(0).tensors();
    int slots = kernels.stream().mapToInt(kernel -> kernel.slots().size()).max().orElse(0);
    if (tensors.size() > StandaloneRuntime.MOST_TENSORS || slots > StandaloneRuntime.MOST_SLOTS) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_OPERATION,
          "expected a statement of at most "
              + StandaloneRuntime.MOST_TENSORS
              + " tensors, found "
              + tensors.size()
              + "; divide it");
    }
    for (TensorParameter tensor : tensors.subList(1, tensors.size())) {
      if (ARGUMENTS.contains(tensor.name())) {
        throw new WeftException(
            ErrorCode.USAGE,
            "expected other names of operands than "
                + ARGUMENTS.stream().sorted().toList()
                + ", which are arguments of a call, found "
                + tensor.name()
                + "; rename it");
      }
    }
    return new Interface(
        request.name(),
        request.statement().strip().replaceAll("\\s+", " "),
        statement.assignment() != Statement.Assignment.ASSIGN,
        tensors,
        rules(tensors),
        kernels,
        request.module());
  }

  /** The symbol of the kernel for indices of so many bits. */
  static String kernel(String name, int bits) {
    return name + "_kernel" + bits;
  }

  /** The functions of the library. */
  List<String> exports() {
    List<String> functions = List.of(name + "_call", name + "_free", name + "_message");
    return Stream.concat(functions.stream(), module.stream().map(m -> "PyInit_" + m)).toList();
  }

  TensorParameter result() {
    return tensors.get(0);
  }

  List<TensorParameter> operands() {
    return tensors.subList(1, tensors.size());
  }

  /** {@code y: {D}, modes (i)}: for people. */
  static String described(TensorParameter tensor) {
    List<String> levels = new ArrayList<>();
    TensorFormat format = tensor.format();
    for (int level = 0; level < format.levelCount(); level++) {
      LevelSpec spec = format.level(level);
      levels.add(kind(spec).keyword + " (mode " + format.modeOf(level) + notes(spec) + ")");
    }
    String labels =
        tensor.accesses().isEmpty()
            ? ""
            : tensor.accesses().get(0).stream()
                .map(ModeLabel::name)
                .collect(Collectors.joining(","));
    return tensor.name()
        + "("
        + labels
        + "), "
        + (levels.isEmpty() ? "a scalar" : String.join(", ", levels));
  }

  private static String notes(LevelSpec spec) {
    return (spec.properties().ordered() ? "" : ", in any order")
        + (spec.properties().unique() ? "" : ", perhaps repeated");
  }

  /** How a level is stored; the ordinals are those of {@code ahead.h}. */
  enum LevelKind {
    DENSE("dense"),
    COMPRESSED("compressed"),
    SINGLETON("singleton");

    final String keyword;

    LevelKind(String keyword) {
      this.keyword = keyword;
    }
  }

  static LevelKind kind(LevelSpec level) {
    if (!level.format().hasCrd()) {
      return LevelKind.DENSE;
    }
    return level.format().hasPos() ? LevelKind.COMPRESSED : LevelKind.SINGLETON;
  }

  /** A place where a label stands. */
  private record Place(int tensor, int mode) {}

  private static List<SizeRule> rules(List<TensorParameter> tensors) {
    Map<String, Place> first = new HashMap<>();
    List<SizeRule> rules = new ArrayList<>();
    for (int number = 1; number <= tensors.size(); number++) {
      int tensor = number % tensors.size();
      TensorParameter parameter = tensors.get(tensor);
      if (parameter.accesses().isEmpty() && parameter.format().order() > 0) {
        throw new WeftException(
            ErrorCode.UNSUPPORTED_OPERATION,
            "the modes of " + parameter.name() + " have no labels; name them");
      }
      for (List<ModeLabel> labels : parameter.accesses()) {
        for (int mode = 0; mode < labels.size(); mode++) {
          add(rules, first, labels.get(mode), new Place(tensor, mode));
        }
      }
    }
    return rules;
  }

  private static void add(
      List<SizeRule> rules, Map<String, Place> first, ModeLabel label, Place place) {
    if (label.size() >= 0) {
      rules.add(new SizeRule(place.tensor(), place.mode(), -1, -1, label.size(), label.name()));
      return;
    }
    Place other = first.putIfAbsent(label.name(), place);
    if (other == null && place.tensor() == 0) {
      throw new WeftException(
          ErrorCode.USAGE,
          "no operand has the label "
              + label.name()
              + " of the result: state its size (--size "
              + label.name()
              + "=N; in Python sizes={'"
              + label.name()
              + "': N})");
    }
    if (other != null && !other.equals(place)) {
      rules.add(
          new SizeRule(
              place.tensor(), place.mode(), other.tensor(), other.mode(), -1, label.name()));
    }
  }
}
