package org.weft.jobs.command;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.weft.compiler.TensorCompiler;
import org.weft.jobs.output.Console;
import org.weft.memory.MemoryScope;
import org.weft.planner.machine.MachineParameters;
import org.weft.planner.tune.TunedStore;
import org.weft.planner.tune.Tuner;
import org.weft.planner.tune.TuningResult;
import org.weft.planner.tune.TuningTask;
import org.weft.planner.tune.Variant;
import org.weft.tensor.TensorFormat;

/**
 * Measures a variant that was found on another machine before this one uses it. Borrows all that it
 * is given.
 */
record TunedElsewhere(
    TensorCompiler compiler, MemoryScope scope, TunedStore store, Console console) {
  /**
   * {@code tuned} if it is clearly faster here, and then kept as measured here; otherwise nothing,
   * and it is no longer kept.
   */
  Optional<TunedStore.Tuned> measured(TuningTask task, TunedStore.Tuned tuned) {
    console.note("tuned on another machine (%s), measured again here", tuned.machine());
    Tuner tuner = new Tuner(compiler, MachineParameters.ofThisMachine(), line -> {});
    Map<String, TensorFormat> formats = new HashMap<>(tuned.formats());
    Optional<TuningResult> again =
        tuner.compare(scope, task, new Variant(formats, tuned.schedule()));
    if (again.isEmpty()) {
      console.note("not used: it does not fit the formats of these operands");
      return Optional.empty();
    }
    console.note("%s", again.get().verdict());
    try {
      store.store(task, again.get());
    } catch (IOException e) {
      console.note("the measurement is not kept: %s", String.valueOf(e.getMessage()));
    }
    return again.get().winner().untuned() ? Optional.empty() : Optional.of(tuned);
  }
}
