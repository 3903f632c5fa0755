package org.weft.compiler.loop;

import java.util.regex.Pattern;

/** What a name in loop IR may be: a C identifier, so that printed loops read as C. */
final class Names {
  private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private Names() {}

  static String requireIdentifier(String name, String what) {
    if (!IDENTIFIER.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "expected a C identifier as the name of a " + what + ", found '" + name + "'");
    }
    return name;
  }
}
