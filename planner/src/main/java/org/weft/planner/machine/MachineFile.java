package org.weft.planner.machine;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.text.ByteOrderMark;

/**
 * Parameters of a machine as text: a line per {@link MachineConstant} with its name, its value, its
 * unit and where the value comes from, between tabs. Lines that begin with {@code #} are comments.
 */
public final class MachineFile {
  private static final String HEADER = "constant\tvalue\tunit\tsource";

  private MachineFile() {}

  /**
   * The text.
   *
   * @param measured constants that were fitted on the machine
   */
  public static String text(
      String machine, MachineParameters parameters, Set<MachineConstant> measured) {
    StringBuilder text = new StringBuilder("# " + machine + "\n" + HEADER + "\n");
    for (MachineConstant constant : MachineConstant.values()) {
      text.append(
          String.format(
              Locale.ROOT,
              "%s\t%s\t%s\t%s\n",
              constant.key(),
              parameters.get(constant),
              constant.unit(),
              measured.contains(constant)
                  ? "measured: " + constant.benchmark()
                  : constant.source()));
    }
    return text.toString();
  }

  /**
   * The parameters of a text; constants that it does not name are those of this machine.
   *
   * @param name of the file, for messages
   * @throws WeftException {@code MALFORMED_INPUT} for an unknown constant, another unit, a constant
   *     that comes twice, or a value that no machine has
   */
  public static MachineParameters parse(String name, List<String> lines) {
    MachineParameters parameters = MachineParameters.ofThisMachine();
    Set<MachineConstant> known = EnumSet.noneOf(MachineConstant.class);
    for (int number = 1; number <= lines.size(); number++) {
      String line = lines.get(number - 1);
      if (number == 1) {
        line = ByteOrderMark.strip(line);
      }
      if (line.isBlank() || line.startsWith("#") || line.equals(HEADER)) {
        continue;
      }
      String[] fields = line.split("\t", -1);
      String at = name + ":" + number + ": ";
      if (fields.length < 3) {
        throw malformed(at + "expected a constant, its value and its unit between tabs: " + line);
      }
      MachineConstant constant =
          MachineConstant.named(fields[0])
              .orElseThrow(
                  () ->
                      malformed(
                          at
                              + "expected a constant as 'weft bench --calibrate' writes it, found "
                              + fields[0]));
      if (!known.add(constant)) {
        throw malformed(at + "expected each constant once, found " + fields[0] + " again");
      }
      if (!fields[2].equals(constant.unit().toString())) {
        throw malformed(at + "expected " + constant.unit() + ", found " + fields[2]);
      }
      parameters = parameters.with(constant, value(at, constant, fields[1]));
    }
    if (known.isEmpty()) {
      throw malformed(name + ": expected constants of a machine, found none");
    }
    return parameters;
  }

  private static double value(String at, MachineConstant constant, String text) {
    try {
      double value = Double.parseDouble(text);
      if (constant.allows(value)) {
        return value;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw malformed(
        at + "expected a " + constant.key() + " of " + constant.range() + ", found " + text);
  }

  private static WeftException malformed(String message) {
    return new WeftException(ErrorCode.MALFORMED_INPUT, message);
  }
}
