package org.weft.compiler.differential;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.tensor.TensorStorage;

/** Statements by the evaluator, which inserts conversions and temporaries and never refuses. */
final class EvaluatorRunner implements Runner {
  private final TensorCompiler compiler;

  EvaluatorRunner(TensorCompiler compiler) {
    this.compiler = compiler;
  }

  @Override
  public List<Prepared> prepare(List<Case> cases) {
    return cases.stream().map(subject -> (Prepared) this::evaluate).toList();
  }

  private Outcome evaluate(Case subject) {
    MemoryScope scope = MemoryScope.root("case", MemorySource.system());
    try {
      Map<String, TensorStorage> operands = new HashMap<>();
      subject.operands().forEach((name, access) -> operands.put(name, subject.pack(access, scope)));
      operands.values().forEach(operand -> Disorder.shuffle(operand, operand.storedEntries()));
      Map<String, Long> sizes = new HashMap<>();
      subject.axes().forEach((label, axis) -> sizes.put(label, axis.size()));
      StatementInput input =
          StatementInput.of(subject.text(), operands, subject.resultFormat())
              .withSizes(sizes)
              .withSchedule(subject.schedule());
      if (subject.accumulates()) {
        input = input.withPrevious(subject.pack(subject.target(), scope));
      }
      Evaluator usual = new Evaluator(compiler, subject.threads());
      boolean eager = subject.text().length() % 2 == 0;
      TensorStorage result = (eager ? usual.eager() : usual).evaluate(scope, input);
      new ResultCheck(subject, false).checkWidened(result);
      return new Outcome.Passed();
    } catch (WeftException e) {
      boolean refusal = e.code().kind() != ErrorCode.Kind.INTERNAL;
      return refusal ? new Outcome.Refused(e) : new Outcome.Failed(e);
    } catch (AssertionError | RuntimeException | StackOverflowError e) {
      return new Outcome.Failed(e);
    } finally {
      scope.close();
    }
  }
}
