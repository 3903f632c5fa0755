package org.weft.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.ml.Cp;
import org.weft.ml.TensorCompletion;
import org.weft.ml.Tucker;

/** Null for any parameter of the public surface is an error that names the parameter. */
final class NullArgumentsTest {
  /** Values that stand for the other parameters, of which none is looked at. */
  private static final Map<Class<?>, Object> OTHERS =
      Map.of(
          int.class,
          0,
          boolean.class,
          false,
          String.class,
          "x",
          List.class,
          List.of("x"),
          Map.class,
          Map.of(),
          long[].class,
          new long[] {1},
          double[].class,
          new double[] {1},
          long[][].class,
          new long[][] {{1}},
          Constraint.class,
          Constraint.SIMPLEX);

  @Test
  void theSurfaceNamesTheParameter() {
    List<String> wrong = new ArrayList<>();
    int calls = 0;
    try (Weft weft = Weft.local()) {
      Tensor tensor = weft.tensor(new double[][] {{1, 2}, {3, 4}});
      CpdRun cpd = tensor.cpd(1).iterations(1);
      for (Object receiver :
          List.of(
              weft,
              tensor,
              cpd,
              tensor.tucker(1, 1),
              tensor.complete(1),
              Constraint.SIMPLEX,
              cpd.run())) {
        for (Method method : receiver.getClass().getMethods()) {
          boolean own = method.getDeclaringClass().getName().startsWith("org.weft.api.");
          if (own && !method.isBridge() && !method.getName().equals("equals")) {
            calls += call(receiver, method, wrong);
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(calls).isGreaterThan(25);
  }

  @Test
  void estimatorsNameTheParam() {
    List<String> wrong = new ArrayList<>();
    int calls = 0;
    for (Object estimator : List.of(new Cp(), new Tucker(), new TensorCompletion())) {
      for (Method method : estimator.getClass().getMethods()) {
        boolean own = method.getDeclaringClass().getName().startsWith("org.weft.ml.");
        if (own && method.getName().startsWith("set") && !method.isBridge()) {
          calls += call(estimator, method, wrong);
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(calls).isGreaterThan(12);
  }

  @Test
  void namesThePlaceOfANullInAList() {
    assertThat(catchThrowable(() -> new Cp().setModeCols("a", null)))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining("modeCols[1]: expected a value, found null");
  }

  /** Calls with null for one parameter after the other; gives the number of calls. */
  private static int call(Object receiver, Method method, List<String> wrong) {
    Parameter[] parameters = method.getParameters();
    int calls = 0;
    for (int at = 0; at < parameters.length; at++) {
      if (!parameters[at].getType().isPrimitive()) {
        Object[] arguments =
            Arrays.stream(parameters).map(other -> OTHERS.get(other.getType())).toArray();
        arguments[at] = null;
        Throwable error = error(receiver, method, arguments);
        boolean setter = method.getName().startsWith("set");
        String name =
            setter ? name(method.getName().substring("set".length())) : parameters[at].getName();
        calls++;
        if (!(error instanceof WeftException found)
            || found.code() != ErrorCode.USAGE
            || !found.getMessage().contains("found null")
            || isOnlyNull(arguments) && !found.getMessage().contains(name + ": expected")) {
          wrong.add(method.toGenericString() + " with null for " + name + ": " + error);
        }
      }
    }
    return calls;
  }

  private static boolean isOnlyNull(Object[] arguments) {
    return Arrays.stream(arguments).filter(Objects::isNull).count() == 1;
  }

  private static String name(String property) {
    return property.substring(0, 1).toLowerCase(Locale.ROOT) + property.substring(1);
  }

  private static @Nullable Throwable error(Object receiver, Method method, Object[] arguments) {
    try {
      method.invoke(Modifier.isStatic(method.getModifiers()) ? null : receiver, arguments);
      return null;
    } catch (InvocationTargetException e) {
      return e.getCause();
    } catch (IllegalAccessException e) {
      return e;
    }
  }
}
