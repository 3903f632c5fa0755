package org.weft.compiler.program.space;

import java.util.Map;
import java.util.Optional;
import org.weft.compiler.eval.LabelledStatement;
import org.weft.compiler.lang.Statement;

/**
 * A statement of a program with everything it needs to be evaluated.
 *
 * @param tensors the tensors that it reads, by name; borrowed
 * @param numbers the variables that it reads, by name: {@code Long} or {@code Double}
 * @param result how the result is stored
 * @param sizes of labels, by name, where no tensor gives them
 * @param previous the result's value before a {@code +=} or {@code -=}; borrowed; empty means zero
 */
public record ProgramStatement(
    Statement statement,
    Map<String, ProgramTensor> tensors,
    Map<String, Number> numbers,
    StoredAs result,
    Map<String, Long> sizes,
    Optional<ProgramTensor> previous) {
  public ProgramStatement {
    tensors = Map.copyOf(tensors);
    numbers = Map.copyOf(numbers);
    sizes = Map.copyOf(sizes);
  }

  /** The statement as those see it who bring its tensors. */
  public LabelledStatement labelled() {
    return new LabelledStatement(statement);
  }
}
