package org.weft.jobs.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.weft.jobs.chart.Ink;

/**
 * Builds the text of a page with the styles, pictures and the little script inside, so that it
 * needs no network. The caller escapes the arguments.
 */
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

  /** The whole page in UTF-8, with this text as its sections. */
  byte[] page(String title, String lead) {
    Html page = new Html();
    page.add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">");
    page.add("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    page.add("<title>%s</title>", escape(title));
    page.append("<style>\n")
        .append(resource("report.css"))
        .append(Ink.shadeRules())
        .append("</style>\n");
    page.add("</head>\n<body>\n<header>\n<h1>%s</h1>", escape(title));
    page.add("<p class=\"lead\">%s</p>", escape(lead));
    page.append(links()).append("</header>\n<main>\n").append(text.toString());
    page.append("</main>\n<script>\n").append(resource("report.js"));
    page.append("</script>\n</body>\n</html>\n");
    return page.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static String resource(String name) {
    try (InputStream in = Html.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(name, e);
    }
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

  /** Escaped; no line ends inside of the name of an option, of a date or of a time. */
  private static String unbroken(String text) {
    return escape(text)
        .replaceAll("(?<= )--[\\w-]+", "<span class=\"unbroken\">$0</span>")
        .replaceAll(
            "(\\d{4}-\\d\\d-\\d\\dT)(\\d\\d:[\\d:.]+Z)",
            "<span class=\"unbroken\">$1</span><wbr/><span class=\"unbroken\">$2</span>");
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
    row(List.of(name), numbers);
  }

  /** A row with several names, each of which has its own direction of reading. */
  void row(List<String> names, String... numbers) {
    append(
        names.stream()
            .map(name -> "<bdi>" + escape(name) + "</bdi>")
            .collect(Collectors.joining(" / ", "<tr><th scope=\"row\">", "</th>")));
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
