package org.weft.planner.tune;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.weft.compiler.Schedule;
import org.weft.error.Reasons;
import org.weft.error.WeftException;
import org.weft.planner.machine.MachineIdentity;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;

/**
 * Winners on disk, one file {@code tuned/<class>.properties} in the compiler's cache directory:
 * {@code class}, {@code schedule}, {@code format.<tensor>}, and how it was measured: {@code
 * machine}, {@code rule}, {@code runs}, {@code medianSeconds}, {@code upperQuartileSeconds}, {@code
 * spread}, and {@code untunedRuns}, {@code untunedSeconds}, {@code untunedFastestSeconds}, {@code
 * untunedSpread}, with the names that all statements of the class share. Like the cache it only
 * saves time: what cannot be read or written counts as absent, and the log says so.
 */
public final class TunedStore {
  private static final Pattern LABEL = Pattern.compile("[(,:]\\s*([A-Za-z_][A-Za-z0-9_]*)");

  /** What a file was kept by; one that names another rule is measured again. */
  private static final String RULE = "upper quartile below the fastest run without tuning";

  private final Path folder;
  private final String machine;

  /**
   * @param cacheDirectory the compiler's; made when the first winner is stored
   */
  public TunedStore(Path cacheDirectory) {
    this(cacheDirectory, MachineIdentity.ofThisMachine());
  }

  /** A store as on a machine of the name {@code machine}. */
  TunedStore(Path cacheDirectory, String machine) {
    this.folder = cacheDirectory.resolve("tuned");
    this.machine = machine;
  }

  /**
   * A stored winner, in the names of the statement that asked.
   *
   * @param machine that it was measured on
   * @param measuredHere whether that is this machine, and the rule today's; if not, {@link
   *     Tuner#compare} tells whether it is the faster one here
   */
  public record Tuned(
      Map<String, TensorFormat> formats,
      Schedule schedule,
      double speedUp,
      String machine,
      boolean measuredHere) {}

  /** The winner of {@code task}'s class. */
  public Optional<Tuned> find(TuningTask task) {
    ExpressionClass kind = ExpressionClass.of(task);
    Path file = folder.resolve(kind.key() + ".properties");
    Properties found = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      found.load(reader);
      Map<String, TensorFormat> formats = new HashMap<>();
      for (Map.Entry<String, TensorStorage> operand : task.operands().entrySet()) {
        String text = found.getProperty("format." + kind.shared(operand.getKey()));
        TensorFormat given = operand.getValue().format();
        if (text != null) {
          formats.put(operand.getKey(), TensorFormat.parse(text, given.order(), given.valueType()));
        }
      }
      double median = Double.parseDouble(found.getProperty("medianSeconds", "1"));
      double untuned = Double.parseDouble(found.getProperty("untunedSeconds", "1"));
      String schedule = rename(found.getProperty("schedule", ""), kind, false);
      String where = found.getProperty("machine", "an unnamed machine");
      boolean here = where.equals(machine) && RULE.equals(found.getProperty("rule"));
      return Optional.of(
          new Tuned(formats, Schedule.parse(schedule), untuned / median, where, here));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException | IllegalArgumentException | WeftException e) {
      if (!Files.isReadable(folder.resolveSibling("."))) {
        return Optional.empty(); // whose kernels are not read either, as one warning says
      }
      String why = e instanceof FileSystemException ? Reasons.of(e) : file + ": " + Reasons.of(e);
      System.getLogger(TunedStore.class.getName())
          .log(System.Logger.Level.WARNING, "cannot use what weft tune found: {0}", why);
      return Optional.empty();
    }
  }

  /**
   * Keeps the winner of {@code result}; returns the file. Where no variant is clearly faster than
   * the one without tuning nothing is kept, and what was kept for the class before is removed.
   */
  public Optional<Path> store(TuningTask task, TuningResult result) throws IOException {
    ExpressionClass kind = ExpressionClass.of(task);
    Path file = folder.resolve(kind.key() + ".properties");
    if (result.winner().untuned()) {
      Files.deleteIfExists(file);
      return Optional.empty();
    }
    Properties winner = new Properties();
    winner.setProperty("class", kind.toString());
    winner.setProperty("schedule", rename(result.winner().variant().schedule() + "", kind, true));
    for (String name : task.operands().keySet()) {
      TensorFormat format = result.winner().variant().formats().get(name);
      if (format != null) {
        winner.setProperty("format." + kind.shared(name), format.toString());
      }
    }
    measured(winner, result.winner().timings(), result.untuned().timings());
    Files.createDirectories(folder);
    Path temporary = Files.createTempFile(folder, kind.key(), ".tmp");
    try (Writer writer = Files.newBufferedWriter(temporary)) {
      winner.store(writer, null);
    }
    return Optional.of(
        Files.move(
            temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING));
  }

  private void measured(Properties to, Timings winner, Timings untuned) {
    to.setProperty("machine", machine);
    to.setProperty("rule", RULE);
    to.setProperty("runs", Integer.toString(winner.runs()));
    to.setProperty("medianSeconds", seconds(winner.median()));
    to.setProperty("upperQuartileSeconds", seconds(winner.upperQuartile()));
    to.setProperty("spread", seconds(winner.spread()));
    to.setProperty("untunedRuns", Integer.toString(untuned.runs()));
    to.setProperty("untunedSeconds", seconds(untuned.median()));
    to.setProperty("untunedFastestSeconds", seconds(untuned.fastest()));
    to.setProperty("untunedSpread", seconds(untuned.spread()));
  }

  private static String seconds(double value) {
    return String.format(Locale.ROOT, "%.9f", value);
  }

  /** A schedule with the labels of the class instead of the statement's, or back. */
  private static String rename(String schedule, ExpressionClass kind, boolean toShared) {
    Matcher matcher = LABEL.matcher(schedule);
    StringBuilder text = new StringBuilder();
    while (matcher.find()) {
      String name = matcher.group(1);
      boolean word =
          matcher.group().startsWith(":") || name.equals("position") || name.equals("coordinate");
      String to = word ? name : toShared ? kind.shared(name) : kind.own(name);
      matcher.appendReplacement(text, Matcher.quoteReplacement(matcher.group().replace(name, to)));
    }
    return matcher.appendTail(text).toString();
  }
}
