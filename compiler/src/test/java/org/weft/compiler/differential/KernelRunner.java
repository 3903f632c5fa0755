package org.weft.compiler.differential;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.lower.Lowering;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeMemory;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.runtime.TensorParameter;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/** One kernel per case, without inserted conversions; all kernels of a batch in one library. */
final class KernelRunner implements Runner {
  private final TensorCompiler compiler;

  KernelRunner(TensorCompiler compiler) {
    this.compiler = compiler;
  }

  @Override
  public List<Prepared> prepare(List<Case> cases) {
    List<Prepared> prepared = new ArrayList<>();
    List<KernelRequest> requests = new ArrayList<>();
    for (int number = 0; number < cases.size(); number++) {
      KernelRequest request = cases.get(number).request("kernel" + number);
      Outcome refusal = lower(request);
      if (refusal == null) {
        requests.add(request);
        prepared.add(filled -> new Outcome.Passed());
      } else {
        prepared.add(filled -> refusal);
      }
    }
    if (!requests.isEmpty()) {
      compile(requests, prepared);
    }
    return prepared;
  }

  private static @Nullable Outcome lower(KernelRequest request) {
    try {
      Lowering.lower(request);
      return null;
    } catch (WeftException e) {
      return e.code().kind() == ErrorCode.Kind.INTERNAL
          ? new Outcome.Failed(e)
          : new Outcome.Refused(e);
    } catch (RuntimeException | StackOverflowError e) {
      return new Outcome.Failed(e);
    }
  }

  private void compile(List<KernelRequest> requests, List<Prepared> prepared) {
    try {
      KernelImage image = compiler.compile(requests);
      KernelLibrary library = KernelLibrary.open(image);
      for (KernelRequest request : requests) {
        Kernel kernel = Kernel.of(library, image.signature(request.symbol()));
        prepared.set(number(request), filled -> call(kernel, filled));
      }
    } catch (RuntimeException e) {
      if (requests.size() == 1) {
        prepared.set(number(requests.get(0)), filled -> new Outcome.Failed(e));
      } else {
        requests.forEach(request -> compile(List.of(request), prepared));
      }
    }
  }

  private static int number(KernelRequest request) {
    return Integer.parseInt(request.symbol().substring("kernel".length()));
  }

  private static Outcome call(Kernel kernel, Case subject) {
    ResultCheck check = new ResultCheck(subject, true);
    String result = subject.target().tensor();
    MemoryScope scope = MemoryScope.root("case", MemorySource.system());
    try {
      Map<String, TensorStorage> bound = new HashMap<>();
      subject.operands().forEach((name, access) -> bound.put(name, subject.pack(access, scope)));
      bound.values().forEach(operand -> Disorder.shuffle(operand, operand.storedEntries()));
      boolean inserts = subject.resultFormat().isInsertable();
      if (inserts) {
        TensorStorage into = subject.pack(subject.target(), scope);
        if (overwrites(kernel)) {
          NativeMemory.fill(into.vals().address(), into.vals().byteSize(), (byte) 0xFF); // NaN, -1
        }
        bound.put(result, into);
      }
      TensorShape shape = subject.shape(subject.target());
      Map<String, TensorStorage> made =
          kernel.run(bound, Map.of(result, shape), scope, subject.threads());
      if (check.overflows()) {
        return new Outcome.Failed(new AssertionError("the result does not fit but is no error"));
      }
      check.check(inserts ? bound.get(result) : made.get(result));
      return new Outcome.Passed();
    } catch (WeftException e) {
      boolean right = e.code() == ErrorCode.WIDTH_OVERFLOW && check.mayOverflow();
      return right ? new Outcome.Passed() : new Outcome.Failed(e);
    } catch (AssertionError | RuntimeException e) {
      return new Outcome.Failed(e);
    } finally {
      scope.close();
    }
  }

  /** Whether the kernel says that it does not matter what the result holds before. */
  private static boolean overwrites(Kernel kernel) {
    return kernel.signature().tensors().stream()
        .anyMatch(tensor -> tensor.role() == TensorParameter.Role.OUTPUT_OVERWRITTEN);
  }
}
