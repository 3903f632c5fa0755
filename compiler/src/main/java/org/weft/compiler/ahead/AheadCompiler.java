package org.weft.compiler.ahead;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.weft.compiler.Directive;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.PrefetchDistance;
import org.weft.compiler.Schedule;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.llvm.CodeGenerator;
import org.weft.compiler.llvm.Target;
import org.weft.compiler.loop.LoopFunction;
import org.weft.compiler.lower.LoweredKernel;
import org.weft.compiler.lower.Lowering;
import org.weft.compiler.lower.schedule.Lookup;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.runtime.StandaloneRuntime;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.Width;

/** Compiles a statement to files that programs use without Weft. */
public final class AheadCompiler {
  private static final int OPTIMISATION = 3;

  private AheadCompiler() {}

  /**
   * Compiles one statement.
   *
   * @throws WeftException of kind USER or UNSUPPORTED for a statement that means nothing or that
   *     one kernel cannot compute in these formats; COMPILER_FAILURE for a bug
   */
  public static AheadLibrary compile(AheadRequest request) {
    Statement statement = parse(request.statement());
    Map<String, TensorFormat> formats = formats(request, statement);
    if (statement.mask() != null) {
      requireSparse(statement.mask().tensor().tensor(), formats);
    }
    boolean indexed =
        formats.values().stream().flatMap(f -> f.levels().stream()).anyMatch(AheadCompiler::stores);
    List<LoopFunction> functions = new ArrayList<>();
    for (Width width : indexed ? List.of(Width.W32, Width.W64) : List.of(Width.W64)) {
      functions.add(lowered(kernel(request, formats, width)).function());
    }
    Interface described = Interface.of(request, statement, functions);
    Target target = new Target(request.cpu(), OPTIMISATION);
    byte[] library =
        new CodeGenerator(target, (stage, nanos) -> {})
            .standalone(
                functions,
                Glue.of(described, request),
                StandaloneRuntime.object(),
                described.exports());
    return new AheadLibrary(library, CHeader.of(described), described);
  }

  /**
   * Nobody knows the operands yet. Of stored fibers that coordinates choose the first lines are
   * asked for ahead, which costs little beside the loop over a fiber.
   */
  private static LoweredKernel lowered(KernelRequest request) {
    LoweredKernel plain = Lowering.lower(request);
    Schedule schedule = request.schedule();
    for (Lookup lookup : plain.lookups()) {
      String name = lookup.variable().name();
      boolean labelled = lookup.variable().label().equals(lookup.variable());
      if (lookup.findsFibers()
          && labelled
          && schedule.find(Directive.Prefetch.class, name).isEmpty()) {
        schedule = schedule.with(new Directive.Prefetch(name, PrefetchDistance.ofFibers()));
      }
    }
    return schedule.equals(request.schedule())
        ? plain
        : Lowering.lower(request.withSchedule(schedule));
  }

  private static void requireSparse(String mask, Map<String, TensorFormat> formats) {
    TensorFormat format = formats.get(mask);
    if (format != null && format.levels().stream().noneMatch(AheadCompiler::stores)) {
      throw new WeftException(
          ErrorCode.USAGE,
          "the mask "
              + mask
              + " is dense, so that it has an entry everywhere: make it sparse, as --format "
              + mask
              + "=CSR, or in Python csr_array("
              + mask
              + ")");
    }
  }

  private static boolean stores(LevelSpec level) {
    return level.format().hasCrd();
  }

  private static KernelRequest kernel(
      AheadRequest request, Map<String, TensorFormat> formats, Width width) {
    Map<String, TensorFormat> sized = new LinkedHashMap<>();
    formats.forEach((name, format) -> sized.put(name, format.withWidths(width, width)));
    String symbol = Interface.kernel(request.name(), width.bits());
    return new KernelRequest(
        symbol, request.statement(), sized, request.sizes(), request.schedule());
  }

  private static Statement parse(String text) {
    Diagnostics diagnostics = new Diagnostics();
    Optional<Statement> statement = Parser.statement(SourceText.expression(text), diagnostics);
    diagnostics.throwIfErrors();
    return statement.orElseThrow();
  }

  /** The format of every tensor, the result first. */
  private static Map<String, TensorFormat> formats(AheadRequest request, Statement statement) {
    Map<String, Integer> orders = new LinkedHashMap<>();
    orders.put(statement.target().tensor(), statement.target().labels().size());
    statement
        .operands()
        .forEach((name, access) -> orders.putIfAbsent(name, access.labels().size()));
    for (String name : request.formats().keySet()) {
      if (!orders.containsKey(name)) {
        throw new WeftException(
            ErrorCode.USAGE,
            "--format "
                + name
                + "="
                + request.formats().get(name)
                + ": the statement has no tensor "
                + name
                + "; it has "
                + orders.keySet());
      }
    }
    Map<String, TensorFormat> formats = new LinkedHashMap<>();
    orders.forEach((name, order) -> formats.put(name, format(request, name, order)));
    return formats;
  }

  private static TensorFormat format(AheadRequest request, String name, int order) {
    String text = request.formats().getOrDefault(name, "Dense");
    if (text.indexOf('[') >= 0) {
      throw unsupported(name, text, "leave the widths out: libraries take 32 and 64 bits");
    }
    TensorFormat format;
    try {
      format = TensorFormat.parse(text, order, request.type());
    } catch (WeftException e) {
      throw new WeftException(e.code(), "--format " + name + "=" + text + ": " + e.getMessage(), e);
    }
    if (order > StandaloneRuntime.MOST_MODES) {
      throw unsupported(name, text, "a library's tensors have up to 8 modes");
    }
    if (!format.isOrdinary() || !format.levels().stream().allMatch(AheadCompiler::isTaken)) {
      throw unsupported(
          name, text, "a library's tensors have one level D, CU, CN or S for each mode");
    }
    return format;
  }

  private static boolean isTaken(LevelSpec level) {
    return switch (level.format().symbol()) {
      case "D", "CU", "CN", "S" -> level.properties().compact();
      default -> false;
    };
  }

  private static WeftException unsupported(String name, String text, String why) {
    return new WeftException(
        ErrorCode.UNSUPPORTED_OPERATION, "--format " + name + "=" + text + ": " + why);
  }
}
