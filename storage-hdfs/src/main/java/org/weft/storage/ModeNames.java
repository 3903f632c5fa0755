package org.weft.storage;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;

/** The names of modes: a mode that nobody named is called {@code mode} and its number. */
public final class ModeNames {
  private static final String UNNAMED = "mode";

  private ModeNames() {}

  /** What a mode without a name is called. */
  public static String unnamed(int mode) {
    return UNNAMED + mode;
  }

  /** Whether somebody named the mode number {@code mode}. */
  public static boolean isNamed(String name, int mode) {
    return !name.equals(unnamed(mode));
  }

  /** Whether somebody named one of the modes. */
  public static boolean areNamed(List<String> names) {
    for (int mode = 0; mode < names.size(); mode++) {
      if (isNamed(names.get(mode), mode)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Names for modes that come from elsewhere. One that is there twice gets a number behind it, so
   * that columns and labels can be told apart.
   *
   * @param kept for each mode its name, or empty for a mode without one
   */
  public static List<String> distinct(List<String> kept) {
    List<String> names = new ArrayList<>();
    Set<String> used = new HashSet<>();
    for (int mode = 0; mode < kept.size(); mode++) {
      String stem = kept.get(mode).isEmpty() ? unnamed(mode) : kept.get(mode);
      String name = stem;
      for (int n = 2; !used.add(name.toLowerCase(Locale.ROOT)); n++) {
        name = stem + "_" + n;
      }
      names.add(name);
    }
    return names;
  }

  /**
   * The names of the modes of {@code uri}: its own, or those that were given if it has none.
   *
   * @param given names of all modes, or empty
   * @throws WeftException {@code USAGE} if there are too few or too many, if one is there twice, or
   *     if the file has other names
   */
  public static List<String> of(FileAccess access, String uri, int order, List<String> given) {
    List<String> own = TensorFiles.modeNames(access, uri);
    if (given.isEmpty()) {
      return own;
    }
    String found = String.join(",", given);
    if (given.size() != order
        || given.stream().anyMatch(String::isBlank)
        || !distinct(given).equals(given)) {
      throw new WeftException(
          ErrorCode.USAGE,
          uri + ": expected " + order + " different names, one for each mode, found " + found);
    }
    if (areNamed(own) && !own.equals(given)) {
      throw new WeftException(
          ErrorCode.USAGE,
          uri
              + ": expected names for a tensor without, found "
              + found
              + " for one with the modes "
              + String.join(",", own)
              + "; leave the names out");
    }
    return given;
  }
}
