package org.weft.compiler.differential;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.weft.compiler.Schedule;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;
import org.weft.tensor.Width;

/**
 * Makes cases: random terms, or one of {@link Kernels}, in random formats, mode orders, widths,
 * value types, sizes and schedules.
 */
final class RandomCases {
  private static final List<String> LABELS = List.of("i", "j", "k", "l");

  private final Random random;
  private final RandomFormats randomFormats;
  private final boolean converts;
  private Map<String, TensorFormat> formats = new TreeMap<>();
  private Map<String, Term.Access> accesses = new TreeMap<>();
  private List<String> order = LABELS;
  private boolean modeOrdersClash;
  private ValueType type = ValueType.DOUBLE;

  /**
   * @param converts whether the cases are for what converts where it must: mode orders are drawn
   *     without regard to each other, and results in any format are updated; otherwise most cases
   *     follow one order of the labels
   */
  RandomCases(Random random, boolean converts) {
    this.random = random;
    this.randomFormats = new RandomFormats(random);
    this.converts = converts;
  }

  Case next() {
    formats = new TreeMap<>();
    accesses = new TreeMap<>();
    type = ValueType.values()[random.nextInt(8) < 5 ? 0 : random.nextInt(4)];
    modeOrdersClash = converts ? random.nextBoolean() : random.nextInt(12) == 0;
    Term value;
    Term.Access target;
    if (random.nextInt(3) == 0) {
      Kernels.Kernel kernel = Kernels.ALL.get(random.nextInt(Kernels.ALL.size()));
      order = new ArrayList<>(kernel.labels());
      Collections.shuffle(order, random);
      value = withOperators(kernel.value(), kernel.target().labels());
      target = kernel.target();
      value.accesses().forEach(this::format);
    } else {
      order = new ArrayList<>(LABELS.subList(0, 1 + random.nextInt(4)));
      Collections.shuffle(order, random);
      value = random.nextInt(8) == 0 ? sum(3 + random.nextInt(5)) : term(1 + random.nextInt(4), 0);
      List<String> labels = new ArrayList<>();
      value.accesses().forEach(access -> labels.addAll(access.labels()));
      Set<String> used = new TreeSet<>(labels);
      List<String> kept = subset(random.nextInt(8) == 0 ? order : List.copyOf(used));
      target = new Term.Access("Y", repeated(kept, 5));
    }
    type = resultType(value);
    format(target);
    Optional<Case.Mask> mask = mask(target);
    boolean views = random.nextInt(10) == 0 && !(value instanceof Term.Access);
    return complete(target, mask, views ? transposed(value) : value);
  }

  private Optional<Case.Mask> mask(Term.Access target) {
    if (target.labels().isEmpty() || random.nextInt(8) != 0) {
      return Optional.empty();
    }
    List<String> labels = target.labels();
    if (random.nextInt(3) == 0) {
      labels = new ArrayList<>(labels.stream().distinct().toList());
      Collections.shuffle(labels, random);
      labels = repeated(labels.subList(0, 1 + random.nextInt(labels.size())), 4);
    }
    Term.Access mask = new Term.Access("M", labels);
    format(mask);
    return Optional.of(new Case.Mask(mask, pick("push", "pull", "auto")));
  }

  private Case complete(Term.Access target, Optional<Case.Mask> mask, Term value) {
    Set<String> labels = new LinkedHashSet<>(target.labels());
    accesses.values().forEach(access -> labels.addAll(access.labels()));
    Map<String, Axis> axes = new TreeMap<>();
    boolean large =
        labels.size() < 3 && accesses.values().stream().allMatch(a -> a.labels().size() < 3);
    for (String label : labels) {
      axes.put(label, Axis.dense(size(large)));
    }
    Set<String> constants =
        labels.stream().filter(label -> random.nextInt(3) == 0).collect(Collectors.toSet());
    boolean update = (converts || formats.get("Y").isInsertable()) && random.nextInt(5) == 0;
    Case made =
        new Case(
            target,
            mask,
            update ? pick("+=", "-=") : "=",
            value,
            formats,
            axes,
            constants,
            random.nextBoolean() ? Schedule.parallel() : Schedule.sequential(),
            1 + random.nextInt(3),
            Map.of());
    if (random.nextInt(3) == 0) {
      for (String label : labels) {
        made = made.mayStretch(label) ? made.withAxis(label, stretched()) : made;
      }
    }
    for (Term.Access access : accesses.values()) {
      made = made.withFormat(access.tensor(), widths(access, made));
    }
    return made;
  }

  private int size(boolean large) {
    return switch (random.nextInt(14)) {
      case 0 -> 0;
      case 1 -> 1;
      case 2 -> large ? 17 + random.nextInt(20) : 6;
      default -> 2 + random.nextInt(5);
    };
  }

  private Axis stretched() {
    long size = List.of(300L, 1000L, 70_000L).get(random.nextInt(3));
    Set<Long> coordinates = new TreeSet<>();
    for (int c = 1 + random.nextInt(5); c > 0; c--) {
      coordinates.add(random.nextInt(3) == 0 ? size - 1 : random.nextLong(size));
    }
    return new Axis(size, List.copyOf(coordinates));
  }

  /** Mostly the widths that fit; the positions of a new result may be too narrow. */
  private TensorFormat widths(Term.Access access, Case made) {
    TensorFormat format = formats.get(access.tensor());
    if (random.nextInt(3) != 0) {
      return format;
    }
    long cells = 1;
    for (String label : access.labels()) {
      cells *= made.axis(label).cells();
    }
    boolean fresh = access.tensor().equals("Y") && !made.accumulates();
    TensorFormat narrow = format.narrowedFor(made.shape(access), cells);
    for (int level = 0; level < format.levelCount(); level++) {
      LevelSpec least = narrow.level(level);
      String symbol = least.format().symbol();
      boolean tight = fresh && List.of("CU", "CN").contains(symbol) && random.nextInt(4) == 0;
      Width pos = tight ? Width.W8 : wider(least.posWidth());
      format = format.withLevelWidths(level, pos, wider(least.crdWidth()));
    }
    return format;
  }

  private Width wider(Width narrowest) {
    int least = narrowest.ordinal();
    int all = Width.values().length;
    return Width.values()[random.nextBoolean() ? least : least + random.nextInt(all - least)];
  }

  private String pick(String... from) {
    return from[random.nextInt(from.length)];
  }

  /** Turns the products of a kernel into semiring products, or its sums into monoids. */
  private Term withOperators(Term value, List<String> target) {
    if (random.nextInt(4) != 0) {
      return value;
    }
    String add = pick("+", "min", "max", "any", "or");
    String multiply =
        add.equals("any")
            ? "pair"
            : pick("*", "+", "-", "first", "second", "pair", "and", "or", "min", "max");
    String monoid = pick("+", "-", "*", "min", "max");
    return withOperators(value, add, multiply, monoid, target);
  }

  private static Term withOperators(
      Term value, String add, String multiply, String monoid, List<String> target) {
    Term mapped = value.map(child -> withOperators(child, add, multiply, monoid, target));
    if (!(mapped instanceof Term.Binary binary)) {
      return mapped;
    }
    boolean elementwise = target.containsAll(binary.freeLabels());
    return switch (binary.operator()) {
      case MULTIPLY -> new Term.Semiring(add, multiply, binary.left(), binary.right());
      case ADD, SUBTRACT ->
          elementwise ? new Term.Monoid(monoid, binary.left(), binary.right()) : binary;
      default -> binary;
    };
  }

  /**
   * Views some operands through a transpose, which alone would have to list the result's labels.
   */
  private Term transposed(Term term) {
    if (term instanceof Term.Access access && access.labels().size() > 1) {
      List<String> labels = new ArrayList<>(access.freeLabels());
      Collections.shuffle(labels, random);
      return labels.size() == 1 ? access : new Term.Transpose(access, labels);
    }
    return term.map(this::transposed);
  }

  private ValueType resultType(Term value) {
    ValueType widest = ValueType.INT;
    List<ValueType> ascending =
        List.of(ValueType.INT, ValueType.LONG, ValueType.FLOAT, ValueType.DOUBLE);
    for (Term.Access access : value.accesses()) {
      ValueType next = formats.get(access.tensor()).valueType();
      widest = ascending.indexOf(next) > ascending.indexOf(widest) ? next : widest;
    }
    return isFractional(value) ? ValueType.DOUBLE : widest;
  }

  private static boolean isFractional(Term term) {
    return term instanceof Term.Number number && number.value() != Math.rint(number.value())
        || term instanceof Term.Call call && List.of("sqrt", "exp", "log").contains(call.function())
        || term.children().stream().anyMatch(RandomCases::isFractional);
  }

  private Term term(int operands, int depth) {
    if (operands == 1) {
      return operand(depth);
    }
    int left = 1 + random.nextInt(operands - 1);
    Term a = term(left, depth + 1);
    Term b = term(operands - left, depth + 1);
    return switch (random.nextInt(11)) {
      case 0, 1 -> new Term.Binary(Term.Operator.ADD, a, b);
      case 2 -> new Term.Binary(Term.Operator.SUBTRACT, a, b);
      case 3 -> new Term.Binary(Term.Operator.ELEMENTWISE, a, b);
      case 4 -> new Term.Call(random.nextBoolean() ? "max" : "min", List.of(a, b));
      case 5 -> new Term.Monoid(pick("+", "-", "*", "min", "max"), a, b);
      case 6 -> new Term.Semiring("+", pick("*", "+", "first", "second", "pair"), a, b);
      default -> new Term.Binary(Term.Operator.MULTIPLY, a, b);
    };
  }

  /** Many operands that one loop merges, a third of them with labels that repeat. */
  private Term sum(int terms) {
    Term sum = access(3);
    for (int more = terms - 1; more > 0; more--) {
      Term next = random.nextInt(5) == 0 ? operand(1) : access(3);
      if (random.nextInt(6) == 0) {
        next = new Term.Binary(Term.Operator.MULTIPLY, next, access(3));
      }
      sum =
          switch (random.nextInt(6)) {
            case 0 -> new Term.Binary(Term.Operator.SUBTRACT, sum, next);
            case 1 -> new Term.Monoid(pick("+", "-", "min", "max"), sum, next);
            case 2 -> new Term.Call(pick("max", "min"), List.of(sum, next));
            default -> new Term.Binary(Term.Operator.ADD, sum, next);
          };
    }
    return sum;
  }

  private Term operand(int depth) {
    int choice = random.nextInt(20);
    if (choice == 0 && depth > 0) {
      return new Term.Number(List.of(0.0, 1.0, 2.0, 2.5, 0.25).get(random.nextInt(5)));
    }
    Term.Access access = access(8);
    return switch (choice) {
      case 1 -> new Term.Negate(access);
      case 2 -> new Term.Call("abs", List.of(access));
      case 3 -> random.nextInt(3) == 0 ? new Term.Call("exp", List.of(access)) : access;
      case 4 -> new Term.Call("sqrt", List.of(new Term.Call("abs", List.of(access))));
      case 5, 6 ->
          access.labels().isEmpty()
              ? access
              : new Term.Sum(access.labels().get(random.nextInt(access.labels().size())), access);
      case 7 -> new Term.Binary(Term.Operator.DIVIDE, access, new Term.Number(0.5));
      case 8 -> access.labels().isEmpty() ? access : new Term.Total(access);
      default -> access;
    };
  }

  /** An operand, or in one of ten cases one that the statement already has. */
  private Term.Access access(int rarity) {
    if (!accesses.isEmpty() && random.nextInt(10) == 0) {
      return List.copyOf(accesses.values()).get(random.nextInt(accesses.size()));
    }
    Term.Access access = new Term.Access("T" + accesses.size(), repeated(subset(order), rarity));
    format(access);
    return access;
  }

  private List<String> subset(List<String> labels) {
    List<String> chosen =
        labels.stream().filter(l -> random.nextInt(3) > 0).collect(Collectors.toList());
    Collections.shuffle(chosen, random);
    return chosen;
  }

  /** In one of {@code rarity} cases {@code labels} with one of them once or twice more. */
  private List<String> repeated(List<String> labels, int rarity) {
    if (labels.isEmpty() || labels.size() > 3 || random.nextInt(rarity) != 0) {
      return labels;
    }
    List<String> longer = new ArrayList<>(labels);
    for (int more = labels.size() < 3 && random.nextInt(4) == 0 ? 2 : 1; more > 0; more--) {
      String label = longer.get(random.nextInt(longer.size()));
      longer.add(random.nextInt(longer.size() + 1), label);
    }
    return longer;
  }

  /** Draws a format for a tensor; its modes mostly follow the order of the labels. */
  private void format(Term.Access access) {
    if (accesses.containsKey(access.tensor())) {
      return;
    }
    List<String> labels = access.labels();
    boolean other = !access.tensor().equals("Y") && random.nextInt(10) == 0;
    ValueType values = other ? ValueType.values()[random.nextInt(4)] : type;
    TensorFormat format = randomFormats.next(labels.size(), values);
    List<Integer> modes = new ArrayList<>();
    for (int mode = 0; mode < labels.size(); mode++) {
      modes.add(mode);
    }
    if (modeOrdersClash) {
      Collections.shuffle(modes, random);
    } else {
      modes.sort((a, b) -> order.indexOf(labels.get(a)) - order.indexOf(labels.get(b)));
    }
    formats.put(access.tensor(), format.withModeOrder(modes.stream().mapToInt(m -> m).toArray()));
    accesses.put(access.tensor(), access);
  }

  /** {@code made} with random entries for every operand. */
  Case withEntries(Case made) {
    Map<String, List<Entry>> entries = new HashMap<>();
    Map<String, Term.Access> filled = new TreeMap<>(made.operands());
    if (made.accumulates()) {
      filled.put(made.target().tensor(), made.target());
    }
    filled.forEach((name, access) -> entries.put(name, entries(made, access)));
    return made.withEntries(entries);
  }

  private List<Entry> entries(Case made, Term.Access access) {
    double density = random.nextInt(16) == 0 ? 0 : List.of(.15, .4, 1.0).get(random.nextInt(3));
    int fiber = random.nextInt(5);
    ValueType values = made.formats().get(access.tensor()).valueType();
    List<Entry> entries = new ArrayList<>();
    for (List<Integer> cell :
        ResultCheck.cells(access.labels().stream().map(made::axis).toList())) {
      boolean inFiber = density > 0 && !cell.isEmpty() && cell.get(0) == fiber;
      if (inFiber || random.nextDouble() < density) {
        int times = random.nextInt(12) == 0 ? 2 : 1;
        for (int time = 0; time < times; time++) {
          entries.add(new Entry(cell, value(values)));
        }
      }
    }
    Collections.shuffle(entries, random);
    return entries;
  }

  /** Small enough that products of four and their sums are exact in every type. */
  private double value(ValueType values) {
    if (random.nextInt(20) == 0) {
      return 0;
    }
    int whole = 1 + random.nextInt(8);
    int signed = random.nextInt(3) == 0 ? -whole : whole;
    return values == ValueType.INT || values == ValueType.LONG ? signed : signed / 4.0;
  }
}
