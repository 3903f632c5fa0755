package org.weft.compiler.loop;

import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import org.weft.memory.ElementType;
import org.weft.runtime.KernelSignature;
import org.weft.runtime.Slot;
import org.weft.runtime.TensorParameter;

/**
 * Prints loop IR as C-like text for people, goldens and cache keys. Equal functions print equally,
 * and different functions differently: nothing that changes the generated code is left out.
 */
public final class LoopPrinter {
  private final KernelSignature signature;
  private final StringBuilder out = new StringBuilder();
  private int depth;

  private LoopPrinter(KernelSignature signature) {
    this.signature = signature;
  }

  public static String print(LoopFunction function) {
    LoopPrinter printer = new LoopPrinter(function.signature());
    printer.function(function);
    return printer.out.toString();
  }

  /** One expression; argument slots print as {@code args[slot]}. */
  public static String print(Expr expr) {
    List<Slot> fixed = List.of(Slot.runtime(), Slot.status(), Slot.statusDetail());
    return new LoopPrinter(new KernelSignature("", List.of(), fixed)).top(expr);
  }

  private void function(LoopFunction function) {
    for (TensorParameter tensor : signature.tensors()) {
      String role = tensor.role().name().toLowerCase(Locale.ROOT).replace('_', ' ');
      line("// " + tensor.name() + ": " + tensor.format() + ", " + role);
    }
    line("void " + function.symbol() + "(const int64_t *args) {");
    depth++;
    for (BufferBinding binding : function.buffers()) {
      Buffer buffer = binding.buffer();
      String type = cType(buffer.element()) + " *" + buffer.name();
      String comment = "  // " + slotText(binding.slot());
      switch (buffer.kind()) {
        case INPUT -> line("const " + type + " = args[" + binding.slot() + "];" + comment);
        case OUTPUT -> line(type + " = args[" + binding.slot() + "];" + comment);
        default -> line(type + " = NULL;" + comment + ", returned in args[" + binding.slot() + "]");
      }
    }
    statements(function.body());
    depth--;
    line("}");
  }

  /** The statements of a block, or the one statement that stands for a block. */
  private void statements(Stmt stmt) {
    if (stmt instanceof Stmt.Block block) {
      block.statements().forEach(this::statement);
    } else {
      statement(stmt);
    }
  }

  private void statement(Stmt stmt) {
    if (stmt instanceof Stmt.Block block) {
      line("{");
      nested(block);
      line("}");
    } else if (stmt instanceof Stmt.Declare s) {
      String type = s.variable().type().keyword();
      line(type + " " + s.variable().name() + " = " + top(s.value()) + ";");
    } else if (stmt instanceof Stmt.Assign s) {
      assign(s);
    } else if (stmt instanceof Stmt.Store s) {
      line(element(s.buffer(), s.position()) + " = " + top(s.value()) + ";");
    } else if (stmt instanceof Stmt.Accumulate s) {
      String atomic = s.shared() ? "atomic " : "";
      line(atomic + element(s.buffer(), s.position()) + " += " + top(s.value()) + ";");
    } else if (stmt instanceof Stmt.For s) {
      forLoop(s);
    } else if (stmt instanceof Stmt.Gather s) {
      gather(s);
    } else if (stmt instanceof Stmt.While s) {
      line("while (" + top(s.condition()) + ") {");
      nested(s.body());
      line("}");
    } else if (stmt instanceof Stmt.If s) {
      ifElse(s);
    } else {
      line(call(stmt));
    }
  }

  private void assign(Stmt.Assign s) {
    String name = s.variable().name();
    if (s.value() instanceof Expr.Binary sum
        && sum.op() == Expr.Op.ADD
        && sum.left().equals(new Expr.VariableRef(s.variable()))) {
      boolean increment = sum.right().equals(new Expr.IntLiteral(1));
      line(increment ? name + "++;" : name + " += " + top(sum.right()) + ";");
    } else {
      line(name + " = " + top(s.value()) + ";");
    }
  }

  private void forLoop(Stmt.For s) {
    LoopTraits traits = s.traits();
    StringJoiner words = new StringJoiner(" ", "#pragma weft ", "").setEmptyValue("");
    if (traits.parallel()) {
      words.add("parallel");
    }
    if (traits.vector()) {
      words.add("vector");
    }
    if (traits.fiber()) {
      words.add("fiber");
    }
    if (traits.independent() && !traits.parallel() && !traits.fiber()) {
      words.add("independent");
    }
    if (traits.few()) {
      words.add("few");
    }
    if (traits.unroll() > 0) {
      words.add("unroll(" + traits.unroll() + ")");
    }
    if (words.length() > 0) {
      line(words.toString());
    }
    String name = s.variable().name();
    String head = "for (int64_t " + name + " = " + top(s.lower()) + "; ";
    line(head + name + " < " + top(s.upper()) + "; " + name + "++) {");
    nested(s.body());
    line("}");
  }

  private void gather(Stmt.Gather s) {
    line("#pragma weft gather, threads for work " + top(s.work()));
    line("{");
    depth++;
    statements(s.front());
    String piece = "[" + s.from().name() + ", " + s.to().name() + ")";
    line("for (pieces " + piece + " of [0, " + top(s.items()) + ")) {");
    depth++;
    statements(s.body());
    for (Stmt.Part part : s.parts()) {
      String end = part.lead() == 0 ? top(part.count()) : part.lead() + " + " + top(part.count());
      String elements = part.piece().name() + "[" + part.lead() + " : " + end + "]";
      String shift =
          part.shift() < 0 ? "" : ", shifted by " + s.parts().get(part.shift()).whole().name();
      String total = part.total() == null ? "" : ";  // in all " + part.total().name();
      line(
          "append("
              + part.whole().name()
              + ", "
              + elements
              + shift
              + (part.joint() < 0 ? "" : ", joined")
              + ")"
              + (total.isEmpty() ? ";" : total));
    }
    depth--;
    line("}");
    depth--;
    line("}");
  }

  private void ifElse(Stmt.If s) {
    Stmt.If arm = s;
    line("if (" + top(arm.condition()) + ") {");
    nested(arm.then());
    while (arm.otherwise() instanceof Stmt.If next) {
      arm = next;
      line("} else if (" + top(arm.condition()) + ") {");
      nested(arm.then());
    }
    if (!arm.otherwise().equals(Stmt.Block.EMPTY)) {
      line("} else {");
      nested(arm.otherwise());
    }
    line("}");
  }

  /** Statements that read as calls of the runtime. */
  private String call(Stmt stmt) {
    if (stmt instanceof Stmt.AllocateWorkspace s) {
      String type = cType(s.buffer().element());
      if (s.onStack()) {
        return type + " " + s.buffer().name() + "[" + top(s.length()) + "] = {0};";
      }
      String length = top(s.length()) + (s.few() > 0 ? ", " + s.few() + " on the stack" : "");
      return type + " *" + s.buffer().name() + " = allocate_zeroed(" + length + ");";
    } else if (stmt instanceof Stmt.View s) {
      String shown = s.shown().name() + " + " + text(s.origin(), 7);
      return cType(s.view().element()) + " *" + s.view().name() + " = " + shown + ";";
    } else if (stmt instanceof Stmt.Prefetch s) {
      String name = s.cache() == 1 ? "prefetch(" : "prefetch_second(";
      return name + element(s.buffer(), s.position()) + ", " + s.elements() + ");";
    } else if (stmt instanceof Stmt.Turn s) {
      return "turn(" + rows(s.from(), s.positions()) + ", " + rows(s.to(), s.places()) + ");";
    } else if (stmt instanceof Stmt.StreamLine s) {
      String line = element(s.from(), s.position());
      return "stream_line(" + line + ", " + element(s.to(), s.place()) + ");";
    } else if (stmt instanceof Stmt.Drain) {
      return "drain();";
    } else if (stmt instanceof Stmt.Delay s) {
      return "delay(" + top(s.ticks()) + ");";
    } else if (stmt instanceof Stmt.Clear s) {
      return "clear(" + s.buffer().name() + ", " + top(s.from()) + ", " + top(s.to()) + ");";
    } else if (stmt instanceof Stmt.FreeWorkspace s) {
      return "release(" + s.buffer().name() + ");";
    } else if (stmt instanceof Stmt.Grow s) {
      return "grow(" + s.buffer().name() + ", " + top(s.neededElements()) + ");";
    } else if (stmt instanceof Stmt.SetCount s) {
      return tensorName(s.tensor()) + ".positions[" + s.level() + "] = " + top(s.count()) + ";";
    } else if (stmt instanceof Stmt.SortMarked s) {
      String marks = s.marks().name() + ", " + top(s.length());
      return "sort_marked(" + s.buffer().name() + ", " + top(s.count()) + ", " + marks + ");";
    } else if (stmt instanceof Stmt.SortPairs s) {
      String arrays = s.keys().name() + ", " + s.values().name();
      return "sort_pairs(" + arrays + ", " + top(s.count()) + ");";
    } else if (stmt instanceof Stmt.Rank s) {
      String arrays = s.keys().name() + ", " + s.ranks().name();
      return s.different().name() + " = rank(" + arrays + ", " + top(s.count()) + ");";
    } else if (stmt instanceof Stmt.CheckWidth s) {
      String where = tensorName(s.tensor()) + " level " + s.level();
      return "check_width(" + top(s.value()) + ", " + s.width().bits() + ");  // " + where;
    } else if (stmt instanceof Stmt.Require s) {
      String where = tensorName(s.tensor()) + " level " + s.level();
      return "require(" + top(s.condition()) + ");  // " + where;
    } else if (stmt instanceof Stmt.Return) {
      return "return;";
    }
    throw new AssertionError(stmt);
  }

  private String rows(Buffer buffer, List<Expr> positions) {
    return positions.stream().map(each -> element(buffer, each)).toList().toString();
  }

  private void nested(Stmt body) {
    depth++;
    statements(body);
    depth--;
  }

  private void line(String text) {
    out.append("  ".repeat(depth)).append(text).append('\n');
  }

  private String element(Buffer buffer, Expr position) {
    return buffer.name() + "[" + top(position) + "]";
  }

  private String top(Expr expr) {
    return text(expr, 0);
  }

  /** Text of {@code expr}, parenthesised when it binds no tighter than {@code outer}. */
  private String text(Expr expr, int outer) {
    if (expr instanceof Expr.IntLiteral e) {
      return e.value() < 0 && outer > 0 ? "(" + e.value() + ")" : Long.toString(e.value());
    } else if (expr instanceof Expr.FloatLiteral e) {
      return e.type() == ScalarType.F32 ? e.value() + "f" : Double.toString(e.value());
    } else if (expr instanceof Expr.VariableRef e) {
      return e.variable().name();
    } else if (expr instanceof Expr.Load e) {
      return element(e.buffer(), e.position());
    } else if (expr instanceof Expr.Argument e) {
      return argument(e);
    } else if (expr instanceof Expr.Binary e) {
      return binary(e, outer);
    } else if (expr instanceof Expr.Not e) {
      return "!" + text(e.operand(), 8);
    } else if (expr instanceof Expr.Select e) {
      String condition =
          e.unpredictable() ? "unpredictable(" + top(e.condition()) + ")" : text(e.condition(), 1);
      String choice = condition + " ? " + text(e.whenTrue(), 1) + " : " + text(e.whenFalse(), 1);
      return outer > 0 ? "(" + choice + ")" : choice;
    } else if (expr instanceof Expr.Convert e) {
      return "(" + e.type().keyword() + ")" + text(e.operand(), 8);
    } else if (expr instanceof Expr.MathCall e) {
      StringJoiner arguments = new StringJoiner(", ", "(", ")");
      e.arguments().forEach(a -> arguments.add(top(a)));
      return e.function().name().toLowerCase(Locale.ROOT) + arguments;
    } else if (expr instanceof Expr.ToLine e) {
      return "to_line(" + element(e.buffer(), e.position()) + ")";
    } else if (expr instanceof Expr.Tasks e) {
      return "tasks(" + top(e.work()) + ")";
    } else if (expr instanceof Expr.Negate e) {
      return "-" + text(e.operand(), 8);
    }
    throw new AssertionError(expr);
  }

  private String binary(Expr.Binary e, int outer) {
    if (e.op() == Expr.Op.MIN || e.op() == Expr.Op.MAX) {
      return e.op().symbol() + "(" + top(e.left()) + ", " + top(e.right()) + ")";
    }
    int strength = strength(e.op());
    if (e.op() == Expr.Op.SHR) {
      return "((uint64_t)" + text(e.left(), 8) + " >> " + text(e.right(), 8) + ")";
    }
    String text =
        text(e.left(), strength - 1) + " " + e.op().symbol() + " " + text(e.right(), strength);
    return strength <= outer ? "(" + text + ")" : text;
  }

  private static int strength(Expr.Op op) {
    return switch (op) {
      case OR -> 2;
      case AND -> 3;
      case EQ, NE -> 4;
      case LT, LE -> 5;
      case SHR -> 6;
      case ADD, SUB -> 6;
      case MUL, DIV, REM -> 7;
      case MIN, MAX -> throw new AssertionError(op);
    };
  }

  private String argument(Expr.Argument e) {
    int slot = e.slot();
    if (slot < signature.slots().size()) {
      Slot s = signature.slots().get(slot);
      if (s.kind() == Slot.Kind.MODE_SIZE) {
        return tensorName(s.tensor()) + ".size[" + s.level() + "]";
      } else if (s.kind() == Slot.Kind.POSITIONS) {
        return tensorName(s.tensor()) + ".positions[" + s.level() + "]";
      }
    }
    return e.type() == ScalarType.I64
        ? "args[" + slot + "]"
        : "*(const " + e.type().keyword() + " *)&args[" + slot + "]";
  }

  private String slotText(int slot) {
    if (slot >= signature.slots().size()) {
      return "no such slot";
    }
    Slot s = signature.slots().get(slot);
    String kind = s.kind().name().toLowerCase(Locale.ROOT);
    return s.kind() == Slot.Kind.VALS
        ? tensorName(s.tensor()) + " " + kind
        : tensorName(s.tensor()) + " level " + s.level() + " " + kind;
  }

  private String tensorName(int tensor) {
    return tensor >= 0 && tensor < signature.tensors().size()
        ? signature.tensors().get(tensor).name()
        : "tensor" + tensor;
  }

  private static String cType(ElementType element) {
    return switch (element) {
      case U8 -> "uint8_t";
      case U16 -> "uint16_t";
      case U32 -> "uint32_t";
      case I64 -> "int64_t";
      case I32 -> "int32_t";
      case F32 -> "float";
      case F64 -> "double";
    };
  }
}
