package org.weft.jobs.option;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.Schedule;
import org.weft.compiler.eval.LabelSizes;
import org.weft.compiler.eval.LabelledStatement;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.lang.Statement;
import org.weft.error.WeftException;
import org.weft.jobs.file.MatchedOperands;
import org.weft.jobs.file.OperandFiles;
import org.weft.storage.ReadOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** An expression on the command line: the text, its operands, their formats, and the schedule. */
public final class EvalOptions {
  @Parameters(
      index = "0",
      paramLabel = "EXPR",
      description = "Assignment in index notation, such as 'C(i,k) = A(i,j) * B(j,k)'.")
  public String expression = "";

  @Option(
      order = 1,
      names = "--input",
      paramLabel = "NAME=FILE",
      description = {
        "The file of operand NAME, local or hdfs:, of any format that 'weft convert' reads. A"
            + " scalar is a number, or a .npy file with one number. With += or -=, the name of the"
            + " result gives the value before. Repeatable."
      })
  public Map<String, String> inputs = new LinkedHashMap<>();

  @Option(
      order = 2,
      names = "--format",
      paramLabel = "NAME=FORMAT",
      description = {
        "The format of NAME: Dense, COO, CSR, CSC, DCSR, CSF, BCSR(2,2), ..., or a list of"
            + " levels such as '{D, CU}'. A mode order may follow, as in CSF@2,0,1. Repeatable."
            + " Default: arrays are Dense, matrices CSR, vectors {CU}, other tensors CSF. A matrix"
            + " with over 16 rows for an entry is DCSR. The format of the result follows its"
            + " sparsity."
      })
  public Map<String, String> formats = new LinkedHashMap<>();

  @Option(
      order = 3,
      names = "--size",
      paramLabel = "LABEL=N",
      description = "The size of a label. Needed for a label that only the result has. Repeatable.")
  public Map<String, Long> sizes = new LinkedHashMap<>();

  @Option(
      order = 4,
      names = "--schedule",
      paramLabel = "TEXT",
      description =
          "The schedule of the loops, such as 'order(i,k,j) parallel(i)' (default: Weft"
              + " chooses).")
  @Nullable
  public String schedule;

  /**
   * The parsed expression.
   *
   * @throws WeftException {@code INVALID_EXPRESSION} with a caret under each error
   */
  public Statement statement() {
    Diagnostics diagnostics = new Diagnostics();
    Optional<Statement> statement =
        Parser.statement(SourceText.expression(expression), diagnostics);
    diagnostics.throwIfErrors();
    return statement.orElseThrow();
  }

  /** The schedule of the options, or {@code otherwise}. */
  public Schedule schedule(Schedule otherwise) {
    return schedule == null ? otherwise : Schedule.parse(schedule);
  }

  /**
   * The tensors that need an input, each with its labels wherever it is read. The result is among
   * them if it has a value before.
   *
   * @throws WeftException of kind USER if one has no input, or an input or format has no tensor
   */
  public Map<String, List<List<String>>> accesses(Statement statement) {
    Map<String, List<List<String>>> accesses = new LabelledStatement(statement).accesses();
    String result = statement.target().tensor();
    List<String> target = new LabelledStatement(statement).resultLabels();
    Set<String> missing = new LinkedHashSet<>(accesses.keySet());
    missing.removeAll(inputs.keySet());
    if (!missing.isEmpty()) {
      String name = missing.iterator().next();
      throw usage(
          "the operand %s has no file: add --input %s=FILE (or a number for a scalar)", name, name);
    }
    boolean accumulates = statement.assignment() != Statement.Assignment.ASSIGN;
    for (String name : inputs.keySet()) {
      if (!accesses.containsKey(name) && !(accumulates && name.equals(result))) {
        throw usage(
            "--input %s=%s: the expression has no operand %s; %s",
            name,
            inputs.get(name),
            name,
            accesses.isEmpty()
                ? "it has none"
                : "its operands are " + String.join(", ", accesses.keySet()));
      }
    }
    for (String name : formats.keySet()) {
      if (!accesses.containsKey(name) && !name.equals(result)) {
        throw usage(
            "--format %s=%s: the expression has no tensor %s; it has %sthe result %s",
            name,
            formats.get(name),
            name,
            accesses.isEmpty() ? "" : String.join(", ", accesses.keySet()) + " and ",
            result);
      }
    }
    formats.forEach(
        (name, format) -> {
          List<List<String>> found = accesses.getOrDefault(name, List.of(target));
          requireFormat(name, format, found.get(0).size());
        });
    checkSizes(statement, accesses);
    Map<String, List<List<String>>> all = new LinkedHashMap<>(accesses);
    if (inputs.containsKey(result)) {
      all.putIfAbsent(result, List.of(target));
    }
    return all;
  }

  private static void requireFormat(String name, String format, int order) {
    try {
      TensorFormat.parse(format, order, ValueType.DOUBLE);
    } catch (WeftException e) {
      throw new WeftException(
          e.code(), "--format " + name + "=" + format + ": " + e.getMessage(), e);
    }
  }

  /** Every size is of a label that the statement has, and one that a mode can have. */
  private void checkSizes(Statement statement, Map<String, List<List<String>>> accesses) {
    LabelSizes.requireSizes(sizes);
    Set<String> labels = new LinkedHashSet<>(new LabelledStatement(statement).resultLabels());
    accesses.values().stream().flatMap(List::stream).forEach(labels::addAll);
    for (Map.Entry<String, Long> size : sizes.entrySet()) {
      if (!labels.contains(size.getKey())) {
        throw usage(
            "--size %s=%d: the expression has no label %s; its labels are %s",
            size.getKey(), size.getValue(), size.getKey(), String.join(", ", labels));
      }
    }
  }

  /**
   * Reads the operands of {@code statement}; every tensor of it must have an input and every input
   * must be used.
   */
  public OperandFiles read(
      Statement statement, FileAccess files, MatchedOperands matched, ReadOptions options)
      throws IOException {
    return OperandFiles.read(files, options, inputs, accesses(statement), matched, sizes);
  }

  /** The labels that the operands of {@code statement} have in common. */
  public MatchedOperands matched(Statement statement, FileAccess files) {
    return MatchedOperands.of(files, inputs, accesses(statement), statement.target().tensor());
  }
}
