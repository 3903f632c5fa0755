package org.weft.compiler.ahead;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.weft.runtime.StandaloneRuntime;
import org.weft.runtime.TensorParameter;

/** The C header of a library: the tensors' structs, and its functions with how each is stored. */
final class CHeader {
  private static final String TEXT =
      """
      /* @STATEMENT@, compiled by Weft. Link with the library; include this. */
      #ifndef @GUARD@_WEFT_H
      #define @GUARD@_WEFT_H

      #include <string.h>

      @STRUCTS@
      #ifdef __cplusplus
      extern "C" {
      #endif

      /*
       * @STATEMENT@
       *
      @TENSORS@
       *
       * Values are @TYPE@. @ABOUT@
       *
       * tensors: the result, then the operands, in the order above. The operands are borrowed.
       * threads: how many to use; 0 for the default of the library.
       * check: 1 to look at every coordinate of the operands first, in O(stored entries); 2 << n to look
       *   whether those of operand n, from 0, are in range; 0 to look at lengths and pos alone. Operands
       *   whose coordinates are out of range are then not safe.
       * Returns a weft_code. Other numbers than WEFT_DONE leave no result; @NAME@_message says more.
       * Any number of threads may call at a time. After fork, a child may call if no other thread of
       * its parent was in a call.
       */
      int32_t @NAME@_call(weft_tensor *tensors, int32_t threads, int32_t check);

      /* Frees the arrays of a result that the library made, and sets them to null. */
      void @NAME@_free(weft_tensor *result);

      /* What the last call of this thread complained about: one line; empty if about nothing. */
      const char *@NAME@_message(void);

      /* As @NAME@_call, with one argument for each tensor. Null, a missing tensor, is refused. */
      static inline int32_t @NAME@_run(@PARAMETERS@, int32_t threads, int32_t check) {
        weft_tensor tensors[@COUNT@];
        memset(tensors, 0, sizeof tensors);
      @COPIES@  int32_t code = @NAME@_call(@RESULT@ ? tensors : NULL, threads, check);
        if (code == WEFT_DONE) *@RESULT@ = tensors[0];
        return code;
      }

      #ifdef __cplusplus
      }
      #endif

      #endif
      """;

  private CHeader() {}

  static String of(Interface described) {
    List<TensorParameter> tensors = described.tensors();
    StringBuilder parameters = new StringBuilder();
    StringBuilder copies = new StringBuilder();
    for (int t = 0; t < tensors.size(); t++) {
      String name = parameter(tensors.get(t));
      parameters.append(t == 0 ? "" : ", const ").append("weft_tensor *").append(name);
      copies.append("  if (" + name + ") tensors[" + t + "] = *" + name + ";\n");
    }
    String lines =
        tensors.stream()
            .map(tensor -> " *   " + comment(Interface.described(tensor)))
            .collect(Collectors.joining("\n"));
    return Template.fill(
        TEXT,
        Map.ofEntries(
            Map.entry("STRUCTS", StandaloneRuntime.tensorHeader()),
            Map.entry("STATEMENT", comment(described.statement())),
            Map.entry("TENSORS", lines),
            Map.entry("TYPE", described.result().format().valueType().keyword()),
            Map.entry("ABOUT", about(described)),
            Map.entry("PARAMETERS", parameters.toString()),
            Map.entry("COUNT", Integer.toString(tensors.size())),
            Map.entry("COPIES", copies.toString()),
            Map.entry("RESULT", parameter(tensors.get(0))),
            Map.entry("GUARD", described.name().toUpperCase(Locale.ROOT)),
            Map.entry("NAME", described.name())));
  }

  private static String about(Interface described) {
    if (described.result().role() == TensorParameter.Role.OUTPUT_SPARSE) {
      return "The result begins as {0}.";
    }
    return described.adds()
        ? "A result with vals is added to; one that begins as {0} is 0 before."
        : "The result begins as {0}, or with vals of its size to be overwritten.";
  }

  private static String parameter(TensorParameter tensor) {
    return tensor.name() + "_";
  }

  /** Nothing that ends a comment. */
  private static String comment(String text) {
    return text.replace("*/", "* /").replace("/*", "/ *");
  }
}
