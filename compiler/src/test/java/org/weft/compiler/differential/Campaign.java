package org.weft.compiler.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * One pass over the cases of a seed. Batches run on all cores; a case depends on the seed and its
 * number only.
 */
final class Campaign {
  private static final int BATCH = 40;
  private static final int LONG_CASES = 40_000;

  /** Runs of each compiled case, on different entries. */
  private static final int RUNS = 2;

  private static final int MOST_FAILURES = 3;

  private final String name;
  private final Runner plain;
  private final Runner checked;
  private final Runner optimised;
  private final Refusals refusals;
  private final boolean converts;

  /** The same in every usual run, so that a change is judged by what it changed. */
  private final long seed =
      Long.getLong("weft.seed", Boolean.getBoolean("weft.long") ? System.nanoTime() : 20261121);

  private final AtomicInteger passed = new AtomicInteger();
  private final List<String> failures = Collections.synchronizedList(new ArrayList<>());

  /**
   * @param plain compiles without LLVM's optimiser, which would take most of the time
   * @param checked compiles bounds checks into the kernels; gets every fourth batch
   * @param optimised compiles with it; gets every sixteenth batch
   * @param converts whether cases may be such that only conversions make them possible
   */
  Campaign(
      String name,
      Runner plain,
      Runner checked,
      Runner optimised,
      Refusals refusals,
      boolean converts) {
    this.name = name;
    this.plain = plain;
    this.checked = checked;
    this.optimised = optimised;
    this.refusals = refusals;
    this.converts = converts;
  }

  /**
   * Runs {@code usual} cases, or as many as the properties say, and fails with the smallest form of
   * the first failures.
   */
  void run(int usual) {
    int cases =
        Integer.getInteger("weft.cases", Boolean.getBoolean("weft.long") ? LONG_CASES : usual);
    int only = Integer.getInteger("weft.case", -1);
    System.out.println(name + ": -Dweft.seed=" + seed + " -Dweft.cases=" + cases);
    List<int[]> batches = new ArrayList<>();
    for (int from = 0; only < 0 && from < cases; from += BATCH) {
      batches.add(IntStream.range(from, Math.min(cases, from + BATCH)).toArray());
    }
    if (only >= 0) {
      batches.add(new int[] {only});
    }
    batches.parallelStream().forEach(this::batch);
    System.out.println(name + ": " + passed + " runs right, " + refusals);
    assertThat(failures).isEmpty();
    assertThat(refusals.total()).as("requests refused: %s", refusals).isLessThan(cases / 3 + 1);
  }

  private void batch(int[] numbers) {
    if (failures.size() >= MOST_FAILURES) {
      return;
    }
    List<RandomCases> generators = new ArrayList<>();
    List<Case> cases = new ArrayList<>();
    for (int number : numbers) {
      Random random = new Random(seed * 1_000_003 + number);
      random.nextInt();
      RandomCases generator = new RandomCases(random, converts);
      generators.add(generator);
      cases.add(generator.next());
    }
    List<Runner.Prepared> prepared = runner(numbers[0]).prepare(cases);
    for (int at = 0; at < numbers.length; at++) {
      for (int run = 0; run < RUNS; run++) {
        Case filled = generators.get(at).withEntries(cases.get(at));
        Outcome outcome = prepared.get(at).run(filled);
        if (!account(outcome, filled, numbers[at])) {
          break;
        }
      }
    }
  }

  private Runner runner(int number) {
    int batch = number / BATCH;
    return batch % 16 == 15 ? optimised : batch % 4 == 1 ? checked : plain;
  }

  /** Returns whether the case ran. */
  private boolean account(Outcome outcome, Case filled, int number) {
    if (outcome instanceof Outcome.Passed) {
      passed.incrementAndGet();
      return true;
    } else if (outcome instanceof Outcome.Refused refused && refusals.allows(refused.reason())) {
      refusals.count(refused.reason());
      return false;
    }
    if (failures.size() < MOST_FAILURES) {
      failures.add(report(filled, failed(outcome), number));
    }
    return false;
  }

  /** A refusal that is not allowed is a failure. */
  private static Outcome.Failed failed(Outcome outcome) {
    return outcome instanceof Outcome.Refused refused
        ? new Outcome.Failed(refused.reason())
        : (Outcome.Failed) outcome;
  }

  private String report(Case filled, Outcome.Failed failed, int number) {
    Runner same = runner(number);
    Case smallest = new Shrinker(candidate -> fails(same, candidate, failed)).shrink(filled);
    Outcome again = same.run(smallest);
    return "\n"
        + name
        + " case "
        + number
        + " of -Dweft.seed="
        + seed
        + ": "
        + (again instanceof Outcome.Passed ? "passes when run alone" : trace(failed(again)))
        + "\n  smallest: "
        + smallest
        + "\n  as drawn: "
        + filled
        + "\n  "
        + failed.problem();
  }

  private boolean fails(Runner same, Case candidate, Outcome.Failed like) {
    Outcome outcome = same.run(candidate);
    return !(outcome instanceof Outcome.Passed)
        && !(outcome instanceof Outcome.Refused refused && refusals.allows(refused.reason()))
        && failed(outcome).kind().equals(like.kind());
  }

  private static String trace(Outcome.Failed failed) {
    StringBuilder text = new StringBuilder(failed.problem().toString());
    StackTraceElement[] frames = failed.problem().getStackTrace();
    for (int frame = 0; frame < Math.min(6, frames.length); frame++) {
      text.append("\n      at ").append(frames[frame]);
    }
    return text.toString();
  }
}
