package org.weft.tensor.level;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Formats that break a promise do not pass {@link LevelFormatContract}. */
class BrokenLevelFormatsTest {

  /** The answer of a method in place of a format's own. */
  private interface Answer {
    Object to(Object... arguments);
  }

  /** Forwards everything to {@code format} but the methods of that name. */
  private static LevelFormat breaking(LevelFormat format, String name, Answer answer) {
    return (LevelFormat)
        Proxy.newProxyInstance(
            LevelFormat.class.getClassLoader(),
            new Class<?>[] {LevelFormat.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals(name)) {
                return answer.to(arguments);
              }
              try {
                return method.invoke(format, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static void run(LevelFormat format) {
    LevelFormatContract contract =
        new LevelFormatContract() {
          @Override
          LevelFormat format() {
            return format;
          }
        };
    try {
      contract.capabilitiesAreThoseOfIterationAndAtMostOneAssembly();
      contract.iterationFindsWhatWasPackedAndPropertiesHold();
    } finally {
      contract.freeAll();
    }
  }

  @Test
  void wrappedFormatsPassAndBrokenOnesDoNot() {
    for (String symbol : new String[] {"D", "CU", "CN", "H", "B"}) {
      LevelFormat format = LevelFormats.bySymbol(symbol);
      run(breaking(format, "nothing", arguments -> ""));
      broken(format)
          .forEach(
              (what, broken) ->
                  assertThatThrownBy(() -> run(broken))
                      .as(symbol + ": " + what)
                      .isInstanceOf(Throwable.class)
                      .isNotInstanceOf(ClassCastException.class));
    }
  }

  private static Map<String, LevelFormat> broken(LevelFormat format) {
    Map<String, LevelFormat> broken = new LinkedHashMap<>();
    broken.put(
        "a coordinate too large by one",
        breaking(
            format, "coordinate", a -> format.coordinate(view(a), (long) a[1], (long) a[2]) + 1));
    broken.put(
        "the last child is lost",
        breaking(
            format,
            "endChild",
            a ->
                Math.max(
                    format.firstChild(view(a), (long) a[1]),
                    format.endChild(view(a), (long) a[1]) - 1)));
    broken.put(
        "the children of the next parent",
        breaking(
            format,
            "endChild",
            a -> Math.min(view(a).positions(), format.endChild(view(a), (long) a[1]) + 1)));
    if (format.properties().compact()) {
      broken.put(
          "a position without a coordinate in a compact level",
          breaking(format, "isLabelled", a -> (long) a[1] % 2 == 0));
    } else {
      broken.put("every position has a coordinate", breaking(format, "isLabelled", a -> true));
    }
    LevelProperties p = format.properties();
    LevelProperties lie =
        p.full()
            ? new LevelProperties(true, true, true, true, true)
            : new LevelProperties(true, p.ordered(), p.unique(), false, p.compact());
    broken.put("a property that does not hold: " + lie, breaking(format, "properties", a -> lie));
    assertThat(broken).hasSizeGreaterThan(3);
    return broken;
  }

  private static LevelView view(Object[] arguments) {
    return (LevelView) arguments[0];
  }
}
