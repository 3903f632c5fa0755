package org.weft.compiler.program;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.eval.share.ProductTerm;
import org.weft.compiler.eval.share.SharedProduct;
import org.weft.compiler.eval.share.SharedProducts;
import org.weft.compiler.lang.Program;
import org.weft.compiler.lang.SourceSpan;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;
import org.weft.compiler.program.check.Accesses;
import org.weft.compiler.program.check.ProgramChecker;
import org.weft.compiler.program.space.ProgramTensor;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Shares products among the statements of a straight run: steps between which there is no loop, no
 * call and no declaration of labels. A product that several statements contain is computed before
 * the first of them, as a tensor of its own, and freed after the last. A tensor that is assigned in
 * between has another version after that, and products of different versions are not the same.
 */
final class Sharing implements AutoCloseable {
  private final Environment environment;
  private final CallFrame frame;
  private final AddressedParts slices;
  private final Assignments assignments;
  private final List<Program.Step> steps;

  /** How often each tensor was assigned in this run. */
  private final Map<String, Integer> versions = new HashMap<>();

  /** Tensors whose next value the plan could not foresee. */
  private final Set<String> unforeseen = new HashSet<>();

  /** Names of the shared products that are there, by key. */
  private final Map<String, String> made = new LinkedHashMap<>();

  private final Map<String, Integer> uses = new HashMap<>();
  private final Map<Integer, Planned> statements = new HashMap<>();
  private Map<String, SharedProduct> products = Map.of();
  private boolean planned;
  private boolean off;
  private int names;

  /** A statement of the run with the shared products of each of its terms. */
  private record Planned(
      Statement statement, List<WrittenTerm> terms, Map<Integer, List<SharedProduct.Part>> parts) {}

  /**
   * @param steps of which the run begins anywhere
   */
  Sharing(
      Environment environment,
      CallFrame frame,
      AddressedParts slices,
      Assignments assignments,
      List<Program.Step> steps) {
    this.environment = environment;
    this.frame = frame;
    this.slices = slices;
    this.assignments = assignments;
    this.steps = steps;
    this.off = !environment.limits().shares();
  }

  /** Evaluates the statement of step {@code at}. */
  void assign(int at, Statement statement) {
    Statement shared = statement;
    List<String> used = new ArrayList<>();
    try {
      plan(at);
      Planned here = statements.get(at);
      if (here != null && !here.parts().isEmpty()) {
        shared = withProducts(here, used);
      }
    } catch (WeftException e) {
      if (e.code() != ErrorCode.OUT_OF_MEMORY) {
        throw e;
      }
      shared = statement;
      giveUp();
    }
    assignments.assign(shared);
    used.forEach(this::release);
  }

  /** Takes note of what step has changed. */
  void done(Program.Step step) {
    if (step instanceof Program.Loop
        || step instanceof Program.CallFunction
        || step instanceof Program.LabelDeclaration) {
      close();
      return;
    }
    String target = target(step);
    if (target != null) {
      versions.merge(target, 1, Integer::sum);
      planned &= !unforeseen.remove(target);
    }
  }

  private static @Nullable String target(Program.Step step) {
    if (step instanceof Program.Assign s) {
      return s.statement().target().tensor();
    } else if (step instanceof Program.ReadNumbered s) {
      return s.target().tensor();
    } else if (step instanceof Program.ReadUri s) {
      return s.target().tensor();
    }
    return step instanceof Program.FillRandom s ? s.target().tensor() : null;
  }

  /** Frees what is shared; what follows is another run. */
  @Override
  public void close() {
    made.values().forEach(frame::drop);
    made.clear();
    uses.clear();
    statements.clear();
    products = Map.of();
    planned = false;
    names = 0;
  }

  private void giveUp() {
    close();
    off = true;
  }

  private void release(String key) {
    if (uses.merge(key, -1, Integer::sum) <= 0) {
      String name = made.remove(key);
      if (name != null) {
        frame.drop(name);
      }
    }
  }

  private void plan(int at) {
    if (planned || off) {
      return;
    }
    planned = true;
    statements.clear();
    unforeseen.clear();
    List<ProductTerm> terms = new ArrayList<>();
    List<int[]> places = new ArrayList<>();
    Map<String, Integer> ahead = new HashMap<>();
    for (int number = at; number < steps.size() && isStraight(steps.get(number)); number++) {
      if (steps.get(number) instanceof Program.Assign assign) {
        Statement statement = assign.statement();
        List<WrittenTerm> written = WrittenTerm.of(statement);
        statements.put(number, new Planned(statement, written, new LinkedHashMap<>()));
        for (int term = 0; term < written.size(); term++) {
          Optional<ProductTerm> product = product(number, statement, written.get(term), ahead);
          if (product.isPresent()) {
            terms.add(product.get());
            places.add(new int[] {number, term});
          }
        }
      }
      String target = target(steps.get(number));
      if (target != null) {
        ahead.merge(target, 1, Integer::sum);
      }
    }
    if (terms.size() < 2) {
      keepOnly(Map.of());
      return;
    }
    SharedProducts.Plan plan =
        SharedProducts.of(
            terms,
            made.keySet(),
            environment.limits().leastSaving(),
            environment.limits().mostBytes());
    for (int term = 0; term < places.size(); term++) {
      if (!plan.parts().get(term).isEmpty()) {
        int[] place = places.get(term);
        Planned statement = statements.get(place[0]);
        if (statement != null) {
          statement.parts().put(place[1], plan.parts().get(term));
        }
      }
    }
    keepOnly(plan.products());
    count(plan);
  }

  private void count(SharedProducts.Plan plan) {
    uses.clear();
    plan.parts().forEach(parts -> parts.forEach(p -> uses.merge(p.key(), 1, Integer::sum)));
    plan.products().values().stream()
        .filter(product -> !made.containsKey(product.key()))
        .forEach(product -> product.parts().forEach(p -> uses.merge(p.key(), 1, Integer::sum)));
  }

  private void keepOnly(Map<String, SharedProduct> wanted) {
    products = wanted;
    for (String key : List.copyOf(made.keySet())) {
      if (!wanted.containsKey(key)) {
        uses.put(key, 0);
        release(key);
      }
    }
  }

  private static boolean isStraight(Program.Step step) {
    return !(step instanceof Program.Loop
        || step instanceof Program.CallFunction
        || step instanceof Program.LabelDeclaration
        || step instanceof Program.Return);
  }

  /**
   * A term as what it costs follows from; empty if it is no product of whole tensors of the
   * result's type, or too little is known.
   *
   * @param ahead assignments between now and the term
   */
  private Optional<ProductTerm> product(
      int number, Statement statement, WrittenTerm term, Map<String, Integer> ahead) {
    if (term.factors().size() < 2 || !frame.isTensor(statement.target().tensor())) {
      return Optional.empty();
    }
    TensorVariable target = frame.tensor(statement.target());
    ValueType type = target.stored().valueType();
    Map<String, Long> sizes = new HashMap<>();
    List<ProductTerm.Factor> factors = new ArrayList<>();
    for (Syntax.Access access : term.factors()) {
      Optional<ProductTerm.Factor> factor = factor(access, ahead, type, sizes);
      if (factor.isEmpty()) {
        return Optional.empty();
      }
      factors.add(factor.get());
    }
    boolean integers = !type.elementType().isFloating();
    if (!target.stored().parsed().isOrdinary() || integers && !term.numbers().isEmpty()) {
      return Optional.empty();
    }
    List<String> labels =
        statement.target().labels().stream().map(Syntax.Label::name).distinct().toList();
    return Optional.of(new ProductTerm(number, factors, labels, sizes, target.isDense(), type));
  }

  private Optional<ProductTerm.Factor> factor(
      Syntax.Access access, Map<String, Integer> ahead, ValueType type, Map<String, Long> sizes) {
    String name = access.tensor();
    if (!frame.isTensor(name)) {
      return Optional.empty();
    }
    TensorVariable tensor = frame.tensor(access);
    TensorFormat format = tensor.stored().parsed();
    boolean later = ahead.getOrDefault(name, 0) > 0 || tensor.value() == null;
    Optional<TensorShape> shape = later ? foreseen(tensor) : Optional.ofNullable(tensor.shape());
    OptionalLong entries = later ? OptionalLong.of(0) : entries(tensor);
    if (shape.isEmpty()) {
      unforeseen.add(name);
    }
    if (shape.isEmpty()
        || entries.isEmpty()
        || !format.isOrdinary()
        || tensor.stored().valueType() != type
        || !isWhole(access, shape.get())) {
      return Optional.empty();
    }
    List<String> labels = access.labels().stream().map(Syntax.Label::name).toList();
    for (int mode = 0; mode < labels.size(); mode++) {
      Long known = sizes.putIfAbsent(labels.get(mode), shape.get().size(mode));
      if (known != null && known != shape.get().size(mode)) {
        return Optional.empty();
      }
    }
    int version = versions.getOrDefault(name, 0) + ahead.getOrDefault(name, 0);
    double stored = tensor.isDense() ? shape.get().cells() : entries.getAsLong();
    return Optional.of(new ProductTerm.Factor(name, name + "#" + version, labels, format, stored));
  }

  private OptionalLong entries(TensorVariable tensor) {
    ProgramTensor value = tensor.value();
    return value == null ? OptionalLong.empty() : environment.space().sharedEntries(value);
  }

  /** The shape of a dense tensor that gets its value later, if its declaration says it. */
  private Optional<TensorShape> foreseen(TensorVariable tensor) {
    List<Program.Mode> modes = tensor.declaration().modes();
    long[] sizes = new long[modes.size()];
    for (int mode = 0; mode < sizes.length; mode++) {
      OptionalLong size = ProgramChecker.staticSize(modes.get(mode), frame.labels());
      if (size.isEmpty() || !tensor.isDense()) {
        return Optional.empty();
      }
      sizes[mode] = size.getAsLong();
    }
    return Optional.of(TensorShape.of(sizes));
  }

  private boolean isWhole(Syntax.Access access, TensorShape shape) {
    try {
      return shape.order() == access.labels().size() && slices.ranges(access, shape).isEmpty();
    } catch (WeftException outside) {
      return false;
    }
  }

  private Statement withProducts(Planned here, List<String> used) {
    SourceSpan span = here.statement().value().span();
    List<List<Syntax.Access>> changed = new ArrayList<>();
    for (int number = 0; number < here.terms().size(); number++) {
      WrittenTerm term = here.terms().get(number);
      List<SharedProduct.Part> parts = here.parts().getOrDefault(number, List.of());
      parts.forEach(part -> make(part.key(), span));
      parts.forEach(part -> used.add(part.key()));
      changed.add(withProducts(term.factors(), parts, span));
    }
    return WrittenTerm.withFactors(here.statement(), here.terms(), changed);
  }

  private List<Syntax.Access> withProducts(
      List<Syntax.Access> factors, List<SharedProduct.Part> parts, SourceSpan span) {
    List<Syntax.Access> changed = new ArrayList<>();
    long replaced = 0;
    for (SharedProduct.Part part : parts) {
      replaced |= part.factors();
      changed.add(access(name(part.key()), part.labels(), span));
    }
    for (int at = 0; at < factors.size(); at++) {
      if ((replaced >> at & 1) == 0) {
        changed.add(factors.get(at));
      }
    }
    return changed;
  }

  private static Syntax.Access access(String tensor, List<String> labels, SourceSpan span) {
    return new Syntax.Access(
        tensor, labels.stream().map(label -> new Syntax.Label(label, span)).toList(), span);
  }

  private String name(String key) {
    String name = made.get(key);
    if (name == null) {
      throw new IllegalStateException("no product " + key);
    }
    return name;
  }

  /** Computes a product, after those that it is made of. */
  private void make(String key, SourceSpan span) {
    SharedProduct product = products.get(key);
    if (product == null || made.containsKey(key)) {
      return;
    }
    product.parts().forEach(part -> make(part.key(), span));
    String name = unused();
    Syntax.Access target = access(name, product.labels(), span);
    List<Program.Mode> modes = new ArrayList<>();
    product.sizes().forEach(size -> modes.add(new Program.SizedMode(size, span)));
    frame.declare(
        new Program.TensorDeclaration(
            new Syntax.Label(name, span), product.type(), modes, product.format(), span));
    List<Syntax.Access> factors =
        product.factors().stream().map(f -> access(f.tensor(), f.labels(), span)).toList();
    Syntax value = WrittenTerm.product(withProducts(factors, product.parts(), span));
    explain(product, target, value, span);
    try {
      assignments.assign(new Statement(target, null, Statement.Assignment.ASSIGN, value));
    } catch (RuntimeException e) {
      frame.drop(name);
      throw e;
    }
    made.put(key, name);
    product.parts().forEach(part -> release(part.key()));
  }

  private void explain(SharedProduct product, Syntax.Access target, Syntax value, SourceSpan span) {
    StringBuilder text = new StringBuilder();
    for (Syntax.Access factor : Accesses.of(value)) {
      text.append(text.length() == 0 ? "" : " * ").append(text(factor));
    }
    environment
        .notes()
        .accept(
            String.format(
                Locale.ROOT,
                "%s:%d: shared %s = %s: %d uses until line %d, about %.3g MB%n",
                span.source().name(),
                span.source().line(span.offset()),
                text(target),
                text,
                uses.getOrDefault(product.key(), 0),
                lastLine(lines(product.key()), span),
                product.bytes() * 1e-6));
  }

  private static int lastLine(List<Integer> lines, SourceSpan span) {
    int here = span.source().line(span.offset());
    return lines.stream().mapToInt(line -> line).reduce(here, Math::max);
  }

  /** Lines of the statements before or in which a product is used. */
  private List<Integer> lines(String key) {
    List<Integer> lines = new ArrayList<>();
    for (Planned statement : statements.values()) {
      if (uses(statement.parts().values(), key)) {
        SourceSpan place = statement.statement().value().span();
        lines.add(place.source().line(place.offset()));
      }
    }
    for (SharedProduct larger : products.values()) {
      if (uses(List.of(larger.parts()), key)) {
        lines(larger.key()).stream().min(Comparator.naturalOrder()).ifPresent(lines::add);
      }
    }
    return lines;
  }

  private static boolean uses(Collection<List<SharedProduct.Part>> all, String key) {
    return all.stream().flatMap(List::stream).anyMatch(part -> part.key().equals(key));
  }

  private static String text(Syntax.Access access) {
    return access.tensor()
        + "["
        + String.join(",", access.labels().stream().map(Syntax.Label::name).toList())
        + "]";
  }

  /** A name that the program does not contain. */
  private String unused() {
    String text = environment.program().source().text();
    String name = "Shared" + ++names;
    while (text.contains(name) || frame.isTensor(name)) {
      name = "Shared" + ++names;
    }
    return name;
  }
}
