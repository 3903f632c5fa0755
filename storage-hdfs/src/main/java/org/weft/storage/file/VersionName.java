package org.weft.storage.file;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The short name of a version of a container: {@code x.weft@3} is its version 3. */
public final class VersionName {
  private static final Pattern NAME =
      Pattern.compile("(.*\\.weft)/*@([1-9][0-9]{0,17})/*", Pattern.CASE_INSENSITIVE);

  private VersionName() {}

  /** Whether {@code uri} names a version so. */
  public static boolean isOne(String uri) {
    return NAME.matcher(uri).matches();
  }

  /** The manifest of the version that {@code uri} names; other names as they are. */
  public static String resolved(String uri) {
    Matcher name = NAME.matcher(uri);
    return name.matches() ? name.group(1) + "/manifest-" + name.group(2) + ".json" : uri;
  }
}
