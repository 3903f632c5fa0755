package org.weft.tensor.level;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Formats that break a promise do not pass {@link LevelFormatContract}. */
class BrokenLevelFormatsTest {

  /** Forwards everything; subclasses break one thing. */
  private static class Wrapper implements LevelFormat {
    final LevelFormat inner;

    Wrapper(LevelFormat inner) {
      this.inner = inner;
    }

    @Override
    public String symbol() {
      return inner.symbol();
    }

    @Override
    public String description() {
      return inner.description();
    }

    @Override
    public Set<LevelCapability> capabilities() {
      return inner.capabilities();
    }

    @Override
    public LevelProperties properties() {
      return inner.properties();
    }

    @Override
    public boolean hasPos() {
      return inner.hasPos();
    }

    @Override
    public boolean hasCrd() {
      return inner.hasCrd();
    }

    @Override
    public boolean isSizedByShape() {
      return inner.isSizedByShape();
    }

    @Override
    public long largestCrd(long size, long sizeBelow, LevelProperties properties) {
      return inner.largestCrd(size, sizeBelow, properties);
    }

    @Override
    public void pack(LevelPacking packing) {
      inner.pack(packing);
    }

    @Override
    public long firstChild(LevelView level, long parent) {
      return inner.firstChild(level, parent);
    }

    @Override
    public long endChild(LevelView level, long parent) {
      return inner.endChild(level, parent);
    }

    @Override
    public boolean isLabelled(LevelView level, long position) {
      return inner.isLabelled(level, position);
    }

    @Override
    public long coordinate(LevelView level, long parent, long position) {
      return inner.coordinate(level, parent, position);
    }
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
      run(new Wrapper(format));
      broken(format)
          .forEach(
              (what, broken) ->
                  assertThatThrownBy(() -> run(broken))
                      .as(symbol + ": " + what)
                      .isInstanceOf(Throwable.class));
    }
  }

  private static Map<String, LevelFormat> broken(LevelFormat format) {
    Map<String, LevelFormat> broken = new LinkedHashMap<>();
    broken.put(
        "a coordinate too large by one",
        new Wrapper(format) {
          @Override
          public long coordinate(LevelView level, long parent, long position) {
            return super.coordinate(level, parent, position) + 1;
          }
        });
    broken.put(
        "the last child is lost",
        new Wrapper(format) {
          @Override
          public long endChild(LevelView level, long parent) {
            return Math.max(firstChild(level, parent), super.endChild(level, parent) - 1);
          }
        });
    broken.put(
        "the children of the next parent",
        new Wrapper(format) {
          @Override
          public long endChild(LevelView level, long parent) {
            return Math.min(level.positions(), super.endChild(level, parent) + 1);
          }
        });
    if (format.properties().compact()) {
      broken.put(
          "a position without a coordinate in a compact level",
          new Wrapper(format) {
            @Override
            public boolean isLabelled(LevelView level, long position) {
              return position % 2 == 0;
            }
          });
    } else {
      broken.put(
          "every position has a coordinate",
          new Wrapper(format) {
            @Override
            public boolean isLabelled(LevelView level, long position) {
              return true;
            }
          });
    }
    LevelProperties p = format.properties();
    LevelProperties lie =
        p.full()
            ? new LevelProperties(true, true, true, true, true)
            : new LevelProperties(true, p.ordered(), p.unique(), false, p.compact());
    broken.put(
        "a property that does not hold: " + lie,
        new Wrapper(format) {
          @Override
          public LevelProperties properties() {
            return lie;
          }
        });
    assertThat(broken).hasSizeGreaterThan(3);
    return broken;
  }
}
