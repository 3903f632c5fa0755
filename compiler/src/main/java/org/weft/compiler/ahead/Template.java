package org.weft.compiler.ahead;

import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A text with places such as {@code @NAME@} to fill in; what is filled in is not looked at. */
final class Template {
  private static final Pattern PLACE = Pattern.compile("@([A-Z]+)@");

  private Template() {}

  static String fill(String text, Map<String, String> values) {
    return PLACE
        .matcher(text)
        .replaceAll(
            place -> Matcher.quoteReplacement(Objects.requireNonNull(values.get(place.group(1)))));
  }
}
