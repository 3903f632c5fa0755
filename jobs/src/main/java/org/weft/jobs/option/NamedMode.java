package org.weft.jobs.option;

import static org.weft.jobs.output.Usage.usage;

import java.util.List;
import java.util.stream.IntStream;
import org.weft.storage.ModeNames;

/** A mode as users name it: by its number from 0, or by its name. */
public final class NamedMode {
  private NamedMode() {}

  /**
   * The number of a mode.
   *
   * @param option such as {@code --mode}
   * @param names of the modes; empty if they have none
   * @throws org.weft.error.WeftException {@code USAGE} for a mode that is not there
   */
  public static int number(String uri, String option, String text, List<String> names, int order) {
    int named = names.indexOf(text.strip());
    if (named >= 0) {
      return named;
    }
    String why = "modes count from 0";
    try {
      int number = Integer.parseInt(text.strip());
      if (number >= 0 && number < order) {
        return number;
      }
    } catch (NumberFormatException e) {
      why = known(names).isEmpty() ? "its modes have no names" : "no mode has this name";
    }
    throw usage(
        "%s: expected %s 0 to %d%s, found %s: the tensor's order is %d and %s",
        uri, option, order - 1, known(names), text, order, why);
  }

  private static String known(List<String> names) {
    List<String> own =
        IntStream.range(0, names.size())
            .filter(mode -> ModeNames.isNamed(names.get(mode), mode))
            .mapToObj(names::get)
            .toList();
    return own.isEmpty() ? "" : " or " + String.join(", ", own);
  }
}
