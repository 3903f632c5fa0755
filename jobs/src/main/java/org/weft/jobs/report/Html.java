package org.weft.jobs.report;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Builds the text of a page. The caller escapes the arguments. */
final class Html {
  /** More characters than a column of definitions has room for. */
  private static final int LONG = 20;

  private final Map<String, String> sections = new LinkedHashMap<>();
  private final StringBuilder text = new StringBuilder();

  /** A line, formatted as by {@link String#format}. */
  void add(String format, Object... arguments) {
    text.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }

  /** Text as it is. */
  Html append(String more) {
    text.append(more);
    return this;
  }

  /** Opens a section, which {@link #links} will name. */
  void section(String id, String title) {
    sections.put(id, title);
    add(
        "<section id=\"%s\" aria-labelledby=\"%s-title\"><h2 id=\"%s-title\">%s</h2>",
        id, id, id, title);
  }

  /** Links to all sections. */
  String links() {
    Html links = new Html();
    links.add("<nav aria-label=\"Sections\">");
    sections.forEach((id, title) -> links.add("<a href=\"#%s\">%s</a>", id, title));
    links.add("</nav>");
    return links.toString();
  }

  /** A field that hides the cards without a label; the script of the page shows it. */
  void find() {
    add(
        "<p class=\"find\" hidden=\"\"><label>Find a label <input type=\"search\" id=\"find\""
            + " autocomplete=\"off\"/></label> <span id=\"found\" role=\"status\"></span></p>");
  }

  void definitions(Map<String, String> all) {
    add("<dl>");
    all.forEach(
        (name, value) ->
            add(
                "<div%s><dt>%s</dt><dd>%s</dd></div>",
                value.length() > LONG ? " class=\"long\"" : "", escape(name), unbroken(value)));
    add("</dl>");
  }

  /** Escaped; no line ends inside of the name of an option. */
  private static String unbroken(String text) {
    return escape(text).replaceAll("(?<= )--[\\w-]+", "<span class=\"option\">$0</span>");
  }

  /** Opens a table; names that begin with a space are those of numbers. */
  void table(String caption, String... columns) {
    add(
        "<div class=\"wide\" tabindex=\"0\"><table><caption>%s</caption><thead><tr>",
        escape(caption));
    for (String column : columns) {
      boolean number = column.startsWith(" ");
      add("<th scope=\"col\"%s>%s</th>", number ? " class=\"number\"" : "", escape(column.strip()));
    }
    add("</tr></thead><tbody>");
  }

  /** A row: its name, then numbers as text. */
  void row(String name, String... numbers) {
    append("<tr><th scope=\"row\" dir=\"auto\">" + escape(name) + "</th>");
    for (String number : numbers) {
      append("<td class=\"number\">" + escape(number) + "</td>");
    }
    add("</tr>");
  }

  void endTable() {
    add("</tbody></table></div>");
  }

  /** Text that may stand in HTML and in attributes. */
  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replaceAll("[\\p{Cntrl}&&[^\n\t]]", "\uFFFD");
  }

  static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
