package org.weft.jobs.command;

import static org.weft.jobs.output.Usage.usage;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.storage.container.ContainerGarbage;
import org.weft.text.Counts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft gc}. */
@Command(
    name = "gc",
    sortOptions = false,
    description = {
      "Remove what killed or failed writers left in a folder.",
      "These are data files of a .weft tensor that no version names, and unfinished"
          + " outputs. In a folder of files, the command also looks into each .weft tensor. Files"
          + " younger than --grace stay, because their writer may still be at work.",
      "--expire also removes old versions of the .weft tensor DIR. The newest version"
          + " always stays. An AGE is a number with s, m, h or d for seconds, minutes, hours or"
          + " days: 90m, 12h, 7d."
    },
    footer = {"", "Example: weft gc x.weft --expire 7d", "Example: weft gc x.weft --dry-run"})
public final class GcCommand extends WeftCommand {
  private static final Pattern AGE = Pattern.compile("([0-9]{1,9})([smhd])");

  @Parameters(index = "0", paramLabel = "DIR", description = "A .weft tensor or a folder of files.")
  String folder = "";

  @Option(
      names = "--expire",
      paramLabel = "AGE",
      description = "Remove versions that were replaced at least AGE ago.")
  @Nullable String expire;

  @Option(
      names = "--grace",
      paramLabel = "AGE",
      description = "Leave files that are younger than AGE (default: ${DEFAULT-VALUE}).")
  String grace = "1d";

  @Override
  protected void run(Console console) {
    List<ContainerGarbage.Removed> removed =
        ContainerGarbage.collect(
            CommonOptions.files(),
            folder,
            expire == null ? null : age("--expire", expire),
            age("--grace", grace),
            planOnly());
    long bytes = 0;
    for (ContainerGarbage.Removed file : removed) {
      console.result("%s  %s, %s", file.path(), file.why(), Counts.of(file.bytes(), "byte"));
      bytes += file.bytes();
    }
    console.result(
        "%s %s, %s",
        planOnly() ? "would remove" : "removed",
        Counts.plain(removed.size(), "file"),
        Counts.of(bytes, "byte"));
  }

  private static Duration age(String option, String text) {
    Matcher matcher = AGE.matcher(text);
    if (!matcher.matches()) {
      throw usage(
          "expected %s as a number with s, m, h or d, such as 7d, found '%s'", option, text);
    }
    long count = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "s" -> Duration.ofSeconds(count);
      case "m" -> Duration.ofMinutes(count);
      case "h" -> Duration.ofHours(count);
      default -> Duration.ofDays(count);
    };
  }
}
