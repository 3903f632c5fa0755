package org.weft.compiler.ahead;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.weft.compiler.ahead.Interface.SizeRule;
import org.weft.runtime.KernelSignature;
import org.weft.runtime.Slot;
import org.weft.runtime.TensorParameter;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/**
 * The part of a library between its functions and its kernels, as LLVM IR: the constant {@code
 * weft_ahead} of {@code ahead.h}, and functions that hand it to the runtime.
 */
final class Glue {
  private final StringBuilder text = new StringBuilder();
  private final Map<String, String> strings = new LinkedHashMap<>();

  private Glue() {}

  static String of(Interface described, AheadRequest request) {
    Glue glue = new Glue();
    glue.constants(described, request);
    glue.functions(described.name());
    described.module().ifPresent(glue::module);
    return glue.text.toString();
  }

  private void functions(String name) {
    text.append(
        """
        declare i32 @weft_ahead_call(ptr, ptr, i32, i32)
        declare void @weft_ahead_free(ptr)
        declare ptr @weft_ahead_message()
        define i32 @NAME_call(ptr %tensors, i32 %threads, i32 %check) {
          %code = call i32 @weft_ahead_call(ptr @library, ptr %tensors, i32 %threads, i32 %check)
          ret i32 %code
        }
        define void @NAME_free(ptr %result) {
          call void @weft_ahead_free(ptr %result)
          ret void
        }
        define ptr @NAME_message() {
          %text = call ptr @weft_ahead_message()
          ret ptr %text
        }
        """
            .replace("NAME", name));
  }

  private void module(String name) {
    text.append(
        """
        declare ptr @weft_ahead_module()
        define ptr @PyInit_NAME() {
          %module = call ptr @weft_ahead_module()
          ret ptr %module
        }
        """
            .replace("NAME", name));
  }

  private void constants(Interface described, AheadRequest request) {
    List<String> tensors = new ArrayList<>();
    for (TensorParameter tensor : described.tensors()) {
      String levels = array("levels" + tensors.size(), levels(tensor.format()));
      tensors.add(
          struct(
              string(tensor.name()),
              string(plain(tensor.format())),
              number(role(tensor.role())),
              number(valueType(tensor.format().valueType())),
              number(tensor.format().order()),
              levels));
    }
    List<String> rules = described.rules().stream().map(this::rule).toList();
    List<String> kernels = new ArrayList<>();
    for (KernelSignature kernel : described.kernels()) {
      text.append("declare void @").append(kernel.symbol()).append("(ptr)\n");
      String slots =
          array("slots" + kernels.size(), kernel.slots().stream().map(Glue::slot).toList());
      kernels.add(
          struct(
              "ptr @" + kernel.symbol(),
              number(kernel.symbol().endsWith("32") ? 32 : 64),
              number(kernel.slots().size()),
              slots));
    }
    String all =
        struct(
            number(Integer.parseInt(request.cpu().substring(request.cpu().length() - 1))),
            number(request.threads()),
            number(described.adds() ? 1 : 0),
            number(tensors.size()),
            array("tensors", tensors),
            number(rules.size()),
            array("rules", rules),
            number(kernels.size()),
            array("kernels", kernels));
    text.append("@library = internal constant ").append(all).append('\n');
  }

  /** The format as callers see it: without the widths of the first kernel. */
  private static String plain(TensorFormat format) {
    return format.toString().replaceAll("\\[[0-9]+,[0-9]+]", "");
  }

  private static List<String> levels(TensorFormat format) {
    List<String> levels = new ArrayList<>();
    for (int level = 0; level < format.levelCount(); level++) {
      LevelSpec spec = format.level(level);
      levels.add(
          struct(
              number(Interface.kind(spec).ordinal()),
              number(format.modeOf(level)),
              number(spec.properties().ordered() ? 1 : 0),
              number(spec.properties().unique() ? 1 : 0)));
    }
    return levels;
  }

  private String rule(SizeRule rule) {
    return struct(
        number(rule.tensor()),
        number(rule.mode()),
        number(rule.other()),
        number(rule.otherMode()),
        number(rule.size()),
        string(rule.label()));
  }

  private static String slot(Slot slot) {
    return struct(number(slot.kind().ordinal()), number(slot.tensor()), number(slot.level()));
  }

  private static int role(TensorParameter.Role role) {
    return switch (role) {
      case INPUT -> 0;
      case OUTPUT_DENSE -> 1;
      case OUTPUT_OVERWRITTEN -> 2;
      case OUTPUT_SPARSE -> 3;
    };
  }

  static int valueType(ValueType type) {
    return switch (type) {
      case INT -> 1;
      case LONG -> 2;
      case FLOAT -> 3;
      case DOUBLE -> 4;
    };
  }

  private static String number(long value) {
    return "i64 " + value;
  }

  /** A typed constant: {@code { i64, ptr } { i64 1, ptr @x }}. */
  private static String struct(String... fields) {
    List<String> types = new ArrayList<>();
    for (String field : fields) {
      types.add(field.substring(0, field.indexOf(' ')));
    }
    return "{ " + String.join(", ", types) + " } { " + String.join(", ", fields) + " }";
  }

  /** The address of an array of equal structs, null for none. */
  private String array(String name, List<String> elements) {
    if (elements.isEmpty()) {
      return "ptr null";
    }
    String first = elements.get(0);
    String type = first.substring(0, first.indexOf('}') + 1);
    text.append(
        String.format(
            Locale.ROOT,
            "@%s = internal constant [%d x %s] [%s]%n",
            name,
            elements.size(),
            type,
            String.join(", ", elements)));
    return "ptr @" + name;
  }

  private String string(String value) {
    String known = strings.get(value);
    if (known != null) {
      return known;
    }
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    StringBuilder escaped = new StringBuilder();
    for (byte b : bytes) {
      escaped.append(String.format(Locale.ROOT, "\\%02X", b & 0xFF));
    }
    String name = "@text" + strings.size();
    text.append(
        String.format(
            Locale.ROOT,
            "%s = internal constant [%d x i8] c\"%s\\00\"%n",
            name,
            bytes.length + 1,
            escaped));
    strings.put(value, "ptr " + name);
    return "ptr " + name;
  }
}
