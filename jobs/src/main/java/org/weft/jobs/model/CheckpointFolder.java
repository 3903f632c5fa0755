package org.weft.jobs.model;

import static org.weft.jobs.output.Usage.usage;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import org.apache.hadoop.fs.Path;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.engine.FileRows;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.Fingerprints;
import org.weft.storage.file.OutputCommit;
import org.weft.storage.npy.NpyRows;

/**
 * Checkpoints of one decomposition: folders {@code state0} and {@code state1}, written in turn, and
 * the file {@code latest}, which names the one to go on from. Each appears whole or not at all. A
 * state has a NumPy file for each of its matrices, which whoever has the rows writes, and a file
 * {@code state} with all else and the arguments of its run.
 *
 * <pre>
 * state/state:  int 0x57454654, int 4, int iterations
 *               arguments, counted: UTF name and UTF value of each
 *               matrices, counted: UTF name and UTF fingerprint of each file
 *               numbers, counted: UTF name and a counted array of doubles of each
 *               long CRC-32
 * </pre>
 */
public final class CheckpointFolder implements Checkpoints {
  private static final int MAGIC = 0x57454654;
  private static final int VERSION = 4;
  private static final int GENERATIONS = 2;
  private static final String POINTER = "latest";
  private static final String STATE = "state";

  private final FileAccess files;
  private final String uri;
  private final Every every;
  private final Map<String, String> arguments;
  private final Map<String, String> defaults;
  private final Map<String, Integer> limits;
  private int next;
  private int kept;
  private long keptNanos = System.nanoTime();
  private Optional<MethodState<RowSource>> latest = Optional.empty();

  /**
   * @param arguments of the run, of which its result is a function
   * @param defaults what arguments were in runs of versions that did not have them
   * @param limits arguments that say how far the run goes: one that goes on may have larger ones
   */
  public CheckpointFolder(
      FileAccess files,
      String uri,
      Every every,
      Map<String, String> arguments,
      Map<String, String> defaults,
      Map<String, Integer> limits) {
    this.files = files;
    this.uri = uri;
    this.every = every;
    this.defaults = Map.copyOf(defaults);
    this.arguments = new LinkedHashMap<>(arguments);
    this.limits = new LinkedHashMap<>(limits);
    limits.forEach((name, limit) -> this.arguments.put(name, limit.toString()));
  }

  /**
   * How often to keep a state.
   *
   * @param sweeps 0 to go by time
   * @param nanos 0 to go by sweeps
   */
  public record Every(int sweeps, long nanos) {
    /** Of {@code 10it}, {@code 30s}, {@code 5m} or {@code 1h}. */
    public static Every parse(String text) {
      String number = text.replaceFirst("[a-z]+$", "");
      String unit = text.substring(number.length());
      long seconds =
          switch (unit) {
            case "s" -> 1;
            case "m" -> 60;
            case "h" -> 3600;
            default -> 0;
          };
      boolean known = seconds > 0 || unit.equals("it");
      if (!known || !number.matches("[1-9][0-9]{0,8}")) {
        throw usage(
            "expected --every as iterations or time, such as 10it, 30s, 5m or 1h, found '%s'",
            text);
      }
      int count = Integer.parseInt(number);
      return seconds == 0
          ? new Every(count, 0)
          : new Every(0, TimeUnit.SECONDS.toNanos(count * seconds));
    }
  }

  /** The file in a folder that names the latest state. */
  public static String pointer(String folder) {
    return folder + "/" + POINTER;
  }

  /** Whether there is a state of any run. */
  public boolean isPresent() throws IOException {
    return exists(POINTER) || exists(state(0)) || exists(state(1));
  }

  private static String state(int generation) {
    return STATE + generation;
  }

  private boolean exists(String name) throws IOException {
    Path path = files.path(at(name));
    return files.fileSystem(path).exists(path);
  }

  private String at(String name) {
    return uri + "/" + name;
  }

  /** Begins with a state that is not of this folder, or from the seed. */
  public void begin(Optional<MethodState<RowSource>> state) {
    latest = state;
  }

  /** Iterations of the latest state of this folder. */
  public int sweeps() {
    return kept;
  }

  @Override
  public Optional<MethodState<RowSource>> latest() {
    return latest;
  }

  /**
   * Begins with the latest state of the folder; if that is damaged, with the one before. Without
   * the file that names it, the state with the most iterations: a kill may come while some file
   * systems replace that file.
   *
   * @return whether there is a state
   * @throws WeftException {@code USAGE} where a run with other arguments wrote it, {@code
   *     MALFORMED_INPUT} where there is none that can be read
   */
  public boolean resume() throws IOException {
    boolean isNamed = exists(POINTER);
    int first = isNamed ? named() : 0;
    latest = Optional.empty();
    WeftException damage = null;
    for (int number : new int[] {first, (first + 1) % GENERATIONS}) {
      if ((isNamed && latest.isPresent()) || (!isNamed && !exists(state(number)))) {
        continue;
      }
      try {
        Read read = read(at(state(number)));
        if (latest.isEmpty() || read.sweeps() > kept) {
          latest = Optional.of(read.state());
          next = (number + 1) % GENERATIONS;
          kept = read.sweeps();
        }
      } catch (FileNotFoundException e) {
        damage = damage == null ? damaged(at(state(number)), "no such file") : damage;
      } catch (IOException e) {
        damage = damage == null ? damaged(at(state(number)), "" + e.getMessage()) : damage;
      }
    }
    if (latest.isEmpty() && damage != null) {
      throw damage;
    }
    return latest.isPresent();
  }

  private int named() throws IOException {
    Path pointer = files.path(at(POINTER));
    try (InputStream in = files.fileSystem(pointer).open(pointer)) {
      return in.read() == '1' ? 1 : 0;
    }
  }

  private static WeftException damaged(String file, String found) {
    return new WeftException(
        ErrorCode.MALFORMED_INPUT,
        file
            + ": expected a whole checkpoint, found "
            + found
            + "; leave out --resume and give --overwrite to begin anew");
  }

  @Override
  public void after(int sweep, boolean last, Site site, Supplier<MethodState<Rows>> state) {
    long now = System.nanoTime();
    boolean due =
        every.sweeps() > 0 ? sweep - kept >= every.sweeps() : now - keptNanos >= every.nanos();
    if (!due && !last) {
      return;
    }
    try {
      latest = Optional.of(write(at(state(next)), sweep, site, state.get()));
      try (OutputCommit commit = OutputCommit.begin(files, at(POINTER), true)) {
        try (OutputStream out = commit.create()) {
          out.write((next + " after iteration " + sweep + "\n").getBytes(StandardCharsets.UTF_8));
        }
        commit.commit();
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
    next = (next + 1) % GENERATIONS;
    kept = sweep;
    keptNanos = System.nanoTime();
  }

  private MethodState<RowSource> write(String folder, int sweep, Site site, MethodState<Rows> state)
      throws IOException {
    try (OutputCommit commit = OutputCommit.begin(files, folder, true)) {
      for (Map.Entry<String, Rows> matrix : state.allRows().entrySet()) {
        site.save(matrix.getValue(), file(commit.stagingUri(), matrix.getKey()));
      }
      try (OutputStream raw = new BufferedOutputStream(commit.createChild(STATE), 1 << 16)) {
        CheckedOutputStream sum = new CheckedOutputStream(raw, new CRC32());
        DataOutputStream out = new DataOutputStream(sum);
        out.writeInt(MAGIC);
        out.writeInt(VERSION);
        out.writeInt(sweep);
        out.writeInt(arguments.size());
        for (Map.Entry<String, String> argument : arguments.entrySet()) {
          out.writeUTF(argument.getKey());
          out.writeUTF(argument.getValue());
        }
        out.writeInt(state.allRows().size());
        for (String name : state.allRows().keySet()) {
          out.writeUTF(name);
          out.writeUTF(fingerprint(file(commit.stagingUri(), name)));
        }
        out.writeInt(state.allNumbers().size());
        for (Map.Entry<String, double[]> numbers : state.allNumbers().entrySet()) {
          out.writeUTF(numbers.getKey());
          write(out, numbers.getValue());
        }
        out.flush();
        new DataOutputStream(raw).writeLong(sum.getChecksum().getValue());
      }
      commit.commit();
      return state.map((name, rows) -> rows(folder, name));
    }
  }

  private static String file(String folder, String matrix) {
    return folder + "/" + matrix + ".npy";
  }

  private RowSource rows(String folder, String matrix) {
    return FileRows.of(NpyRows.open(files, file(folder, matrix)));
  }

  private String fingerprint(String file) throws IOException {
    return new Fingerprints(files)
        .of(file)
        .orElseThrow(() -> new FileNotFoundException(file))
        .toString();
  }

  private static void write(DataOutputStream out, double[] numbers) throws IOException {
    out.writeInt(numbers.length);
    for (double number : numbers) {
      out.writeDouble(number);
    }
  }

  /** A state of the folder. */
  private record Read(int sweeps, MethodState<RowSource> state) {}

  private Read read(String folder) throws IOException {
    String file = folder + "/" + STATE;
    Path path = files.path(file);
    long most = files.fileSystem(path).getFileStatus(path).getLen() / Double.BYTES;
    try (InputStream raw = new BufferedInputStream(files.fileSystem(path).open(path), 1 << 16)) {
      CheckedInputStream sum = new CheckedInputStream(raw, new CRC32());
      DataInputStream in = new DataInputStream(sum);
      if (in.readInt() != MAGIC || in.readInt() != VERSION) {
        throw new IOException("another kind of file, or one of another version");
      }
      int sweeps = in.readInt();
      Map<String, String> then = texts(in);
      Map<String, String> matrices = texts(in);
      MethodState<RowSource> state = new MethodState<>();
      for (int left = in.readInt(); left > 0; left--) {
        state.numbers(in.readUTF(), numbers(in, most));
      }
      long expected = new DataInputStream(raw).readLong();
      if (expected != sum.getChecksum().getValue() || raw.read() >= 0) {
        throw new IOException("a wrong check sum");
      }
      requireSame(file, then); // what is damaged is not what the run had
      for (Map.Entry<String, String> matrix : matrices.entrySet()) {
        String name = name(matrix.getKey());
        if (!fingerprint(file(folder, name)).equals(matrix.getValue())) {
          throw new IOException("a wrong check sum of " + name + ".npy");
        }
        state.row(name, rows(folder, name));
      }
      return new Read(sweeps, state);
    } catch (IllegalArgumentException | NegativeArraySizeException e) {
      throw new IOException("numbers that cannot be sizes", e);
    }
  }

  /** Names of files have to be as they were written. */
  private static String name(String text) throws IOException {
    if (!text.matches("[a-z]{1,16}[0-9_]{1,9}")) {
      throw new IOException("a wrong name of a file");
    }
    return text;
  }

  private static Map<String, String> texts(DataInputStream in) throws IOException {
    Map<String, String> texts = new LinkedHashMap<>();
    for (int left = in.readInt(); left > 0; left--) {
      String name = in.readUTF();
      texts.put(name, in.readUTF());
    }
    return texts;
  }

  private void requireSame(String file, Map<String, String> then) throws IOException {
    for (Map.Entry<String, String> now : arguments.entrySet()) {
      String name = now.getKey();
      String before = then.getOrDefault(name, defaults.getOrDefault(name, ""));
      Integer limit = limits.get(name);
      if (!then.containsKey(name) && !before.equals(now.getValue())) {
        throw usage(
            "--resume: expected %s %s, as an earlier version of Weft wrote %s, which had no %s,"
                + " found %s; give %1$s %2$s, or --overwrite without --resume to begin anew",
            name, before.isEmpty() ? "as then" : said(before), file, name, said(now.getValue()));
      }
      if (!before.equals(now.getValue()) && (limit == null || number(before) > limit)) {
        throw usage(
            "--resume: expected the arguments of the run that wrote %s, which had %s %s, found"
                + " %s; give the same%s, or --overwrite without --resume to begin anew",
            file,
            name,
            said(before),
            said(now.getValue()),
            limit == null ? "" : " or a larger number");
      }
    }
  }

  /** As options say it; no groups of modes mean no dimension tree. */
  private static String said(String value) {
    if (value.equals("[]")) {
      return "off";
    }
    if (value.equals("{}") || value.equals("null")) {
      return "none";
    }
    boolean isList = value.matches("\\[[^\\[]*]|\\{[^{]*}");
    return isList ? value.substring(1, value.length() - 1).replace(", ", ",") : value;
  }

  private static int number(String text) throws IOException {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IOException("the number '" + text + "'", e);
    }
  }

  private static double[] numbers(DataInputStream in, long most) throws IOException {
    int count = in.readInt();
    if (count > most) {
      throw new IOException(count + " numbers, more than the file has");
    }
    double[] numbers = new double[count];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = in.readDouble();
    }
    return numbers;
  }
}
