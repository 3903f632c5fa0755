package org.weft.it.nightly;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;

/**
 * What happens to a night at one time.
 *
 * @param pause before it
 * @param moment to wait for then
 * @param node of the victims that the cluster has two of
 * @param last whether the start is left alone from then on, and so must end by itself
 */
record Strike(Duration pause, Moment moment, Set<Victim> victims, int node, boolean last) {
  private static final double SHORTEST_MILLIS = 20;

  /**
   * At random: half of the time each kind of the cluster's processes, and one time in eight each
   * kind of driver. Most pauses are short, as each factor of ten is as likely.
   */
  static Strike random(Random random, Duration longest) {
    double factor = Math.max(1, longest.toMillis() / SHORTEST_MILLIS);
    Duration pause =
        Duration.ofMillis((long) (SHORTEST_MILLIS * Math.pow(factor, random.nextDouble())));
    Moment moment =
        random.nextInt(3) > 0
            ? Moment.WHENEVER
            : Moment.values()[random.nextInt(Moment.values().length)];
    Set<Victim> victims = EnumSet.noneOf(Victim.class);
    while (victims.isEmpty()) {
      for (Victim victim : Victim.values()) {
        if (random.nextInt(victim.isDriver() ? 8 : 2) == 0) {
          victims.add(victim);
        }
      }
    }
    return new Strike(pause, moment, victims, random.nextInt(2), random.nextInt(60) == 0);
  }
}
