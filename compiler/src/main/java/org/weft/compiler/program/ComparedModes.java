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
import java.util.stream.IntStream;
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
  private record Mode(String tensor, int number) {}

  private record Read(Program.Step step, String tensor, int order) {}

  private record Written(String tensor, int order, String uri) {}

  private final Map<Mode, Mode> parents = new HashMap<>();
  private final Set<Mode> sliced = new HashSet<>();
  private final List<Read> reads = new ArrayList<>();
  private final List<Written> writes = new ArrayList<>();
  private final Map<Program.Step, Integer> numbers = new IdentityHashMap<>();

  ComparedModes(Program program) {
    program.functions().forEach(function -> new Scan(function).steps(function.steps()));
    for (Read read : reads) {
      for (Written written : writes) {
        if (read.step() instanceof Program.ReadUri from
            && plain(from.uri()).equals(written.uri())) {
          join(read.tensor(), written.tensor(), Math.min(read.order(), written.order()));
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
      for (int mode = 0; !written.contains(plain(uri)) && mode < of.order(); mode++) {
        classes
            .computeIfAbsent(root(new Mode(of.tensor(), mode)), c -> new ArrayList<>())
            .add(new CommonModes.InputMode(read, uri, mode));
      }
    }
    sliced.forEach(mode -> classes.remove(root(mode)));
    Collection<List<CommonModes.InputMode>> all = classes.values();
    return all.stream().filter(modes -> modes.size() > 1).toList();
  }

  /** {@code x} for {@code ./x}. */
  private static String plain(String uri) {
    return uri.replaceAll("(^|/)(\\./)+", "$1");
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

  private void join(String first, String other, int order) {
    for (int mode = 0; mode < order; mode++) {
      join(new Mode(first, mode), new Mode(other, mode));
    }
  }

  /** The steps of a function. */
  private final class Scan {
    private final String function;
    private final Set<String> slices = new HashSet<>();
    private final Map<String, Program.TensorDeclaration> tensors = new HashMap<>();
    private final Map<String, Integer> values = new HashMap<>();

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

    /** A value of a tensor, as no other function or assignment has it. */
    private String value(String tensor) {
      return function + " " + tensor + " " + values.getOrDefault(tensor, 0);
    }

    private void begin(String tensor) {
      values.merge(tensor, 1, Integer::sum);
    }

    private int order(String tensor) {
      Program.TensorDeclaration declared = tensors.get(tensor);
      return declared == null ? 0 : declared.modes().size();
    }

    void steps(List<Program.Step> steps) {
      for (Program.Step step : steps) {
        if (step instanceof Program.Assign assign) {
          assign(Accesses.positional(assign.statement()));
        } else if (step instanceof Program.AssignScalar scalar) {
          number(scalar.value());
        } else if (step instanceof Program.Print print) {
          number(print.value());
        } else if (step instanceof Program.ReadUri read) {
          read(step, read.target());
        } else if (step instanceof Program.ReadNumbered read) {
          read(step, read.target());
        } else if (step instanceof Program.FillRandom random) {
          begin(random.target().tensor());
        } else if (step instanceof Program.Write write) {
          String tensor = write.tensor().tensor();
          writes.add(new Written(value(tensor), order(tensor), plain(write.uri())));
        } else if (step instanceof Program.Loop loop) {
          loop(loop);
        }
      }
    }

    /** What an iteration leaves is what the next one finds. */
    private void loop(Program.Loop loop) {
      Map<String, String> before = new HashMap<>();
      tensors.keySet().forEach(tensor -> before.put(tensor, value(tensor)));
      steps(loop.body());
      before.forEach((tensor, value) -> join(value, value(tensor), order(tensor)));
    }

    private void read(Program.Step step, Syntax.Access target) {
      String tensor = target.tensor();
      begin(tensor);
      numbers.put(step, reads.size());
      reads.add(new Read(step, value(tensor), order(tensor)));
      compare(List.of(target), new HashMap<>());
    }

    private void assign(Statement statement) {
      Syntax.Access target = statement.target();
      Map<String, Mode> byLabel = new HashMap<>();
      compare(Accesses.operands(statement), byLabel);
      boolean whole = IntStream.range(0, target.labels().size()).noneMatch(m -> slices(target, m));
      if (statement.assignment() == Statement.Assignment.ASSIGN && whole) {
        begin(target.tensor());
      }
      compare(List.of(target), byLabel);
    }

    /** Parts of a number that are computed on their own compare modes on their own. */
    private void number(Syntax value) {
      if (value instanceof Syntax.Negation
          || value instanceof Syntax.Operation
          || value instanceof Syntax.Call) {
        value.children().forEach(this::number);
      } else {
        compare(Accesses.of(value), new HashMap<>());
      }
    }

    private void compare(List<Syntax.Access> accesses, Map<String, Mode> byLabel) {
      for (Syntax.Access access : accesses) {
        int order = Math.min(access.labels().size(), order(access.tensor()));
        for (int mode = 0; mode < order; mode++) {
          Mode of = new Mode(value(access.tensor()), mode);
          Mode known = byLabel.putIfAbsent(access.labels().get(mode).name(), of);
          if (known != null) {
            join(known, of);
          }
          if (slices(access, mode)) {
            sliced.add(of);
          }
        }
      }
    }

    /** Whether a label with a range stands for a mode that was not declared with it. */
    private boolean slices(Syntax.Access access, int mode) {
      String label = access.labels().get(mode).name();
      Program.TensorDeclaration tensor = tensors.get(access.tensor());
      return tensor != null
          && slices.contains(label)
          && !(mode < tensor.modes().size()
              && tensor.modes().get(mode) instanceof Program.LabelledMode declared
              && declared.label().name().equals(label));
    }
  }
}
