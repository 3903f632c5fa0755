package org.weft.compiler.program;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.lang.Program;
import org.weft.compiler.lang.Syntax;
import org.weft.compiler.program.space.TensorSpace;

/** The names of one function while it runs. Closing it frees the tensors. */
final class CallFrame implements AutoCloseable {
  private final Map<String, Program.LabelRange> labels = new HashMap<>();
  private final Map<String, TensorVariable> tensors = new LinkedHashMap<>();
  private final Map<String, Scalar> scalars = new HashMap<>();
  private final List<Program.Step> reads = new ArrayList<>();
  private final Map<Program.Step, TensorSpace.Input> readAhead = new IdentityHashMap<>();

  CallFrame(Program.Function function) {
    gather(function.steps());
  }

  private void gather(List<Program.Step> steps) {
    for (Program.Step step : steps) {
      if (step instanceof Program.ReadNumbered || step instanceof Program.ReadUri) {
        reads.add(step);
      } else if (step instanceof Program.Loop loop) {
        gather(loop.body());
      }
    }
  }

  void declare(Program.LabelDeclaration declaration) {
    declaration.labels().forEach(label -> labels.put(label.name(), declaration.range()));
  }

  void declare(Program.TensorDeclaration declaration) {
    String name = declaration.name().name();
    if (!tensors.containsKey(name)) {
      tensors.put(name, new TensorVariable(declaration));
    }
  }

  /** Forgets a tensor and frees its value. */
  void drop(String name) {
    TensorVariable dropped = tensors.remove(name);
    if (dropped != null) {
      dropped.free();
    }
  }

  Optional<Program.LabelRange> label(String name) {
    return Optional.ofNullable(labels.get(name));
  }

  Map<String, Program.LabelRange> labels() {
    return labels;
  }

  /** The tensor of an access that the checker has passed. */
  TensorVariable tensor(Syntax.Access access) {
    TensorVariable tensor = tensors.get(access.tensor());
    if (tensor == null) {
      throw new IllegalStateException("no tensor " + access.tensor());
    }
    return tensor;
  }

  boolean isTensor(String name) {
    return tensors.containsKey(name);
  }

  /** In the order of their declarations. */
  Iterable<TensorVariable> tensors() {
    return tensors.values();
  }

  Scalar scalar(String name) {
    Scalar scalar = scalars.get(name);
    if (scalar == null) {
      throw new IllegalStateException("no variable " + name);
    }
    return scalar;
  }

  void assign(String name, Scalar value) {
    scalars.put(name, value);
  }

  /** The reads of the function, in the order of the text. */
  List<Program.Step> reads() {
    return reads;
  }

  /** Keeps what was read for a later {@code step}. */
  void keep(Program.Step step, TensorSpace.Input input) {
    readAhead.put(step, input);
  }

  TensorSpace.@Nullable Input takeKept(Program.Step step) {
    return readAhead.remove(step);
  }

  TensorSpace.@Nullable Input kept(Program.Step step) {
    return readAhead.get(step);
  }

  @Override
  public void close() {
    tensors.values().forEach(TensorVariable::free);
  }
}
