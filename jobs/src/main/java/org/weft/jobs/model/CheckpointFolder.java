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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import org.apache.hadoop.fs.Path;
import org.weft.decomposition.cp.CpRun;
import org.weft.decomposition.cp.CpState;
import org.weft.decomposition.rows.RowSource;
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
 * state has a NumPy file for each factor and each dual, which whoever has the rows writes, and a
 * file {@code state} with all else and the arguments of its run.
 *
 * <pre>
 * state/state:  int 0x57454654, int 3, UTF arguments (count, then name and value of each),
 *               factors and duals, counted: UTF name and UTF fingerprint of each file,
 *               numbers as counted arrays, long CRC-32
 * </pre>
 */
public final class CheckpointFolder implements CpRun.Checkpoints {
  private static final int MAGIC = 0x57454654;
  private static final int VERSION = 3;
  private static final int GENERATIONS = 2;
  private static final String POINTER = "latest";
  private static final String STATE = "state";

  private final FileAccess files;
  private final String uri;
  private final Every every;
  private final Map<String, String> arguments;
  private final Map<String, Integer> limits;
  private int next;
  private int kept;
  private long keptNanos = System.nanoTime();
  private Optional<CpState> written = Optional.empty();

  /**
   * @param arguments of the run, of which its result is a function
   * @param limits arguments that say how far the run goes: one that goes on may have larger ones
   */
  public CheckpointFolder(
      FileAccess files,
      String uri,
      Every every,
      Map<String, String> arguments,
      Map<String, Integer> limits) {
    this.files = files;
    this.uri = uri;
    this.every = every;
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

  /**
   * The latest state; if that is damaged, the one before. Without the file that names it, the state
   * with the most iterations: a kill may come while some file systems replace that file.
   *
   * @throws WeftException {@code USAGE} where a run with other arguments wrote it, {@code
   *     MALFORMED_INPUT} where there is none that can be read
   */
  public Optional<CpState> latest() throws IOException {
    boolean isNamed = exists(POINTER);
    int first = isNamed ? named() : 0;
    Optional<CpState> latest = Optional.empty();
    WeftException damage = null;
    for (int number : new int[] {first, (first + 1) % GENERATIONS}) {
      if ((isNamed && latest.isPresent()) || (!isNamed && !exists(state(number)))) {
        continue;
      }
      try {
        CpState state = read(at(state(number)));
        if (latest.isEmpty() || state.fits().size() > kept) {
          latest = Optional.of(state);
          next = (number + 1) % GENERATIONS;
          kept = state.fits().size();
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
    return latest;
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
  public Optional<CpState> kept() {
    return written;
  }

  @Override
  public void after(int sweep, boolean last, Function<CpRun.Keeper, CpState> state) {
    long now = System.nanoTime();
    boolean due =
        every.sweeps() > 0 ? sweep - kept >= every.sweeps() : now - keptNanos >= every.nanos();
    if (!due && !last) {
      return;
    }
    try {
      written = Optional.of(write(at(state(next)), state));
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

  private CpState write(String folder, Function<CpRun.Keeper, CpState> kept) throws IOException {
    try (OutputCommit commit = OutputCommit.begin(files, folder, true)) {
      List<String> names = new ArrayList<>();
      CpState state =
          kept.apply(
              (site, name, rows) -> {
                names.add(name + ".npy");
                String file = commit.stagingUri() + "/" + name + ".npy";
                site.save(rows, file);
                return FileRows.of(NpyRows.open(files, file));
              });
      try (OutputStream raw = new BufferedOutputStream(commit.createChild(STATE), 1 << 16)) {
        CheckedOutputStream sum = new CheckedOutputStream(raw, new CRC32());
        DataOutputStream out = new DataOutputStream(sum);
        out.writeInt(MAGIC);
        out.writeInt(VERSION);
        out.writeInt(arguments.size());
        for (Map.Entry<String, String> argument : arguments.entrySet()) {
          out.writeUTF(argument.getKey());
          out.writeUTF(argument.getValue());
        }
        int factors = state.factors().size();
        for (List<String> matrices :
            List.of(names.subList(0, factors), names.subList(factors, names.size()))) {
          out.writeInt(matrices.size());
          for (String name : matrices) {
            out.writeUTF(name);
            out.writeUTF(fingerprint(commit.stagingUri() + "/" + name));
          }
        }
        for (double[][] rows : List.of(state.scales(), state.norms(), state.grams())) {
          out.writeInt(rows.length);
          for (double[] row : rows) {
            write(out, row);
          }
        }
        write(out, state.lambda());
        write(out, state.fits().stream().mapToDouble(Double::doubleValue).toArray());
        write(out, state.seconds().stream().mapToDouble(Double::doubleValue).toArray());
        out.flush();
        new DataOutputStream(raw).writeLong(sum.getChecksum().getValue());
      }
      commit.commit();
      return state.withRows(
          rows(folder, names.subList(0, state.factors().size())),
          rows(folder, names.subList(state.factors().size(), names.size())));
    }
  }

  private List<RowSource> rows(String folder, List<String> names) {
    List<RowSource> rows = new ArrayList<>();
    names.forEach(name -> rows.add(FileRows.of(NpyRows.open(files, folder + "/" + name))));
    return rows;
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

  private CpState read(String folder) throws IOException {
    String file = folder + "/" + STATE;
    Path path = files.path(file);
    try (InputStream raw = new BufferedInputStream(files.fileSystem(path).open(path), 1 << 16)) {
      CheckedInputStream sum = new CheckedInputStream(raw, new CRC32());
      DataInputStream in = new DataInputStream(sum);
      if (in.readInt() != MAGIC || in.readInt() != VERSION) {
        throw new IOException("another kind of file, or one of another version");
      }
      requireSame(file, arguments(in));
      List<String> factors = matrices(in, folder);
      List<String> duals = matrices(in, folder);
      double[][][] matrices = new double[3][][];
      for (int at = 0; at < matrices.length; at++) {
        matrices[at] = new double[in.readInt()][];
        for (int row = 0; row < matrices[at].length; row++) {
          matrices[at][row] = numbers(in);
        }
      }
      CpState state =
          new CpState(
              rows(folder, factors),
              rows(folder, duals),
              matrices[0],
              matrices[1],
              matrices[2],
              numbers(in),
              list(in),
              list(in));
      if (new DataInputStream(raw).readLong() != sum.getChecksum().getValue()) {
        throw new IOException("a wrong check sum");
      }
      return state;
    } catch (IllegalArgumentException | NegativeArraySizeException e) {
      throw new IOException("numbers that cannot be sizes", e);
    }
  }

  /** Names of the files, each of which must be as it was written. */
  private List<String> matrices(DataInputStream in, String folder) throws IOException {
    List<String> names = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      String name = in.readUTF();
      if (!name.matches("(factor|dual)[0-9]{1,4}[.]npy")) {
        throw new IOException("a wrong name of a file");
      }
      if (!fingerprint(folder + "/" + name).equals(in.readUTF())) {
        throw new IOException("a wrong check sum of " + name);
      }
      names.add(name);
    }
    return names;
  }

  private static Map<String, String> arguments(DataInputStream in) throws IOException {
    Map<String, String> arguments = new LinkedHashMap<>();
    for (int left = in.readInt(); left > 0; left--) {
      String name = in.readUTF();
      arguments.put(name, in.readUTF());
    }
    return arguments;
  }

  private void requireSame(String file, Map<String, String> then) throws IOException {
    for (Map.Entry<String, String> now : arguments.entrySet()) {
      String name = now.getKey();
      String before = then.getOrDefault(name, "nothing");
      Integer limit = limits.get(name);
      if (!before.equals(now.getValue()) && (limit == null || number(before) > limit)) {
        throw usage(
            "--resume: expected the arguments of the run that wrote %s, which had %s %s, found"
                + " %s; give the same%s, or --overwrite without --resume to begin anew",
            file, name, before, now.getValue(), limit == null ? "" : " or a larger number");
      }
    }
  }

  private static int number(String text) throws IOException {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IOException("the number '" + text + "'", e);
    }
  }

  private static double[] numbers(DataInputStream in) throws IOException {
    double[] numbers = new double[in.readInt()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = in.readDouble();
    }
    return numbers;
  }

  private static List<Double> list(DataInputStream in) throws IOException {
    List<Double> list = new ArrayList<>();
    for (double number : numbers(in)) {
      list.add(number);
    }
    return list;
  }
}
