package org.weft.compiler.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * A random statement with entries for whoever runs statements in another way than the evaluator: in
 * parts, in other processes. All tensors are dense or CSF, all values are {@code double}.
 */
public final class StatementCase {
  private final Case subject;

  private StatementCase(Case subject) {
    this.subject = subject;
  }

  /** An operand, or the result before the statement; coordinates may be repeated. */
  public record Operand(TensorShape shape, CooBlock entries) {}

  /** The case of this number; it depends on the seed and the number only. */
  public static StatementCase of(long seed, int number) {
    Random random = new Random(seed * 1_000_003 + number);
    random.nextInt();
    RandomCases generator = new RandomCases(random, true);
    Case drawn = generator.next();
    for (Map.Entry<String, TensorFormat> format : drawn.formats().entrySet()) {
      int order = format.getValue().order();
      drawn =
          drawn.withFormat(
              format.getKey(),
              format.getValue().isDense()
                  ? TensorFormat.dense(order, ValueType.DOUBLE)
                  : TensorFormat.csf(order, ValueType.DOUBLE));
    }
    return new StatementCase(generator.withEntries(drawn));
  }

  public String text() {
    return subject.text();
  }

  /** Formats as text, by tensor, the result among them. */
  public Map<String, String> formats() {
    Map<String, String> formats = new TreeMap<>();
    subject.formats().forEach((name, format) -> formats.put(name, format.toString()));
    return formats;
  }

  /** Sizes by label. */
  public Map<String, Long> sizes() {
    Map<String, Long> sizes = new TreeMap<>();
    subject.axes().forEach((label, axis) -> sizes.put(label, axis.size()));
    return sizes;
  }

  /** Operands by name, the mask among them. */
  public Map<String, Operand> operands() {
    Map<String, Operand> operands = new TreeMap<>();
    subject.operands().forEach((name, access) -> operands.put(name, operand(access)));
    return operands;
  }

  /** What {@code +=} and {@code -=} add to. */
  public Optional<Operand> previous() {
    return subject.accumulates() ? Optional.of(operand(subject.target())) : Optional.empty();
  }

  private Operand operand(Term.Access access) {
    return new Operand(subject.shape(access), subject.block(access));
  }

  /** Throws an {@link AssertionError} that says what is wrong with the entries of a result. */
  public void check(List<CooBlock> result) {
    long entries = result.stream().mapToLong(CooBlock::size).sum();
    try (MemoryScope scope = MemoryScope.root("result", MemorySource.system())) {
      TensorFormat format = subject.resultFormat();
      TensorStorage packed =
          Packing.pack(scope, subject.shape(subject.target()), format, new ArrayList<>(result));
      if (!format.isDense() && packed.storedEntries() != entries) {
        throw new AssertionError(
            entries + " entries with " + packed.storedEntries() + " coordinates");
      }
      new ResultCheck(subject, false).checkWidened(packed);
    }
  }

  /** All that is needed to write the case down as a test. */
  @Override
  public String toString() {
    return subject.toString();
  }
}
