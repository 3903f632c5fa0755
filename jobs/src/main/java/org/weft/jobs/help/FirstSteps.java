package org.weft.jobs.help;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What {@code weft} says without a command: ten things to try. */
public final class FirstSteps {
  private FirstSteps() {}

  /** Command lines, without {@code weft}, and what each is for. */
  public static Map<String, String> lines() {
    Map<String, String> lines = new LinkedHashMap<>();
    lines.put("demo", "decompose WordNet's relations: needs no file");
    lines.put("stats x.tns.gz", "describe a tensor");
    lines.put("spy x.tns.gz x.svg", "draw where its entries are");
    lines.put(
        "eval 'y(i) = A(i,j) * x(j)' --input A=a.mtx --input x=x.npy", "compute an expression");
    lines.put(
        "ingest sales.csv x.weft --mode shop --mode item --value price",
        "make a labelled tensor of a table");
    lines.put("cpd x.weft --rank 16 --output model", "decompose it");
    lines.put("top model", "show the strongest labels of each component");
    lines.put("report model model.html", "look at the components in a browser");
    lines.put("explain cpd x.weft --rank 16", "see what a command would do");
    lines.put(
        "compile 'y(i) = A(i,j) * x(j)' --format A=CSR -o k.so --python k.py",
        "make a library for C and Python");
    return lines;
  }

  public static String text() {
    return lines().entrySet().stream()
        .map(
            line ->
                String.format(Locale.ROOT, "  weft %s%n      %s%n", line.getKey(), line.getValue()))
        .collect(
            Collectors.joining(
                "",
                "Sparse tensor algebra, compiled to native kernels. Ten things to try:\n\n",
                "\n'weft --help' lists all commands, 'weft COMMAND --help' explains one.\n"));
  }
}
