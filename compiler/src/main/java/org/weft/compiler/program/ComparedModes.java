package org.weft.compiler.program;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.weft.compiler.lang.Program;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;
import org.weft.compiler.program.check.Accesses;
import org.weft.compiler.program.space.CommonModes;

/**
 * Which modes of its inputs a program compares. Modes of tensors that share a label of index
 * notation in a statement have the same coordinates, so they are one class; what goes from tensor
 * to tensor, or through a file that the program writes and reads, joins classes. All values of a
 * tensor are of its class. The modes that a slice addresses are of no class: a slice counts
 * coordinates of its file.
 */
final class ComparedModes {
  private record Mode(String function, String tensor, int number) {}

  private record Read(Program.Step step, String function, Syntax.Access target) {}

  private record Written(String function, String tensor, String uri) {}

  private final Map<Mode, Mode> parents = new HashMap<>();
  private final Set<Mode> sliced = new HashSet<>();
  private final List<Read> reads = new ArrayList<>();
  private final List<Written> writes = new ArrayList<>();
  private final Map<Program.Step, Integer> numbers = new IdentityHashMap<>();

  ComparedModes(Program program) {
    program.functions().forEach(function -> new Scan(function).steps(function.steps()));
    for (Read read : reads) {
      for (Written written : writes) {
        if (read.step() instanceof Program.ReadUri from && from.uri().equals(written.uri())) {
          for (int mode = 0; mode < read.target().labels().size(); mode++) {
            join(
                new Mode(read.function(), read.target().tensor(), mode),
                new Mode(written.function(), written.tensor(), mode));
          }
        }
      }
    }
  }

  /** The number of a reading step, in the order of the text. */
  int number(Program.Step read) {
    return numbers.getOrDefault(read, -1);
  }

  /**
   * The classes of more than one mode of an input. Files that the program writes are no inputs.
   *
   * @param uris the file of a reading step, if it is known
   */
  List<List<CommonModes.InputMode>> classes(Function<Program.Step, Optional<String>> uris) {
    Map<Mode, List<CommonModes.InputMode>> classes = new LinkedHashMap<>();
    Set<String> written = new HashSet<>();
    writes.forEach(write -> written.add(write.uri()));
    for (int read = 0; read < reads.size(); read++) {
      Read of = reads.get(read);
      String uri = uris.apply(of.step()).orElse("");
      for (int mode = 0; !written.contains(uri) && mode < of.target().labels().size(); mode++) {
        classes
            .computeIfAbsent(
                root(new Mode(of.function(), of.target().tensor(), mode)), c -> new ArrayList<>())
            .add(new CommonModes.InputMode(read, uri, mode));
      }
    }
    sliced.forEach(mode -> classes.remove(root(mode)));
    Collection<List<CommonModes.InputMode>> all = classes.values();
    return all.stream().filter(modes -> modes.size() > 1).toList();
  }

  private Mode root(Mode mode) {
    Mode root = mode;
    for (Mode up = parents.get(root); up != null; up = parents.get(root)) {
      root = up;
    }
    return root;
  }

  private void join(Mode first, Mode other) {
    Mode one = root(first);
    Mode two = root(other);
    if (!one.equals(two)) {
      parents.put(two, one);
    }
  }

  /** The steps of a function. */
  private final class Scan {
    private final String function;
    private final Set<String> slices = new HashSet<>();
    private final Map<String, Program.TensorDeclaration> tensors = new HashMap<>();

    Scan(Program.Function function) {
      this.function = function.name().name();
      declarations(function.steps());
    }

    private void declarations(List<Program.Step> steps) {
      for (Program.Step step : steps) {
        if (step instanceof Program.LabelDeclaration labels && labels.range().slices()) {
          labels.labels().forEach(label -> slices.add(label.name()));
        } else if (step instanceof Program.TensorDeclaration tensor) {
          tensors.putIfAbsent(tensor.name().name(), tensor);
        } else if (step instanceof Program.Loop loop) {
          declarations(loop.body());
        }
      }
    }

    void steps(List<Program.Step> steps) {
      for (Program.Step step : steps) {
        if (step instanceof Program.Assign assign) {
          Statement statement = Accesses.positional(assign.statement());
          List<Syntax.Access> accesses = new ArrayList<>(List.of(statement.target()));
          accesses.addAll(Accesses.operands(statement));
          compare(accesses);
        } else if (step instanceof Program.AssignScalar scalar) {
          number(scalar.value());
        } else if (step instanceof Program.Print print) {
          number(print.value());
        } else if (step instanceof Program.ReadUri read) {
          read(step, read.target());
        } else if (step instanceof Program.ReadNumbered read) {
          read(step, read.target());
        } else if (step instanceof Program.Write write) {
          writes.add(new Written(function, write.tensor().tensor(), write.uri()));
        } else if (step instanceof Program.Loop loop) {
          steps(loop.body());
        }
      }
    }

    private void read(Program.Step step, Syntax.Access target) {
      numbers.put(step, reads.size());
      reads.add(new Read(step, function, target));
      compare(List.of(target));
    }

    /** Parts of a number that are computed on their own compare modes on their own. */
    private void number(Syntax value) {
      if (value instanceof Syntax.Negation
          || value instanceof Syntax.Operation
          || value instanceof Syntax.Call) {
        value.children().forEach(this::number);
      } else {
        compare(Accesses.of(value));
      }
    }

    private void compare(List<Syntax.Access> accesses) {
      Map<String, Mode> byLabel = new HashMap<>();
      for (Syntax.Access access : accesses) {
        Program.TensorDeclaration tensor = tensors.get(access.tensor());
        for (int mode = 0; tensor != null && mode < access.labels().size(); mode++) {
          String label = access.labels().get(mode).name();
          Mode of = new Mode(function, access.tensor(), mode);
          Mode known = byLabel.putIfAbsent(label, of);
          if (known != null) {
            join(known, of);
          }
          if (slices.contains(label) && !declaredWith(tensor, mode, label)) {
            sliced.add(of);
          }
        }
      }
    }

    private static boolean declaredWith(Program.TensorDeclaration tensor, int mode, String label) {
      return mode < tensor.modes().size()
          && tensor.modes().get(mode) instanceof Program.LabelledMode labelled
          && labelled.label().name().equals(label);
    }
  }
}
