package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.jobs.model.CheckpointFolder;
import org.weft.jobs.option.CommonOptions;
import org.weft.storage.file.FileAccess;

/** Every method goes on from its checkpoints to the bits of a run that was not interrupted. */
class ResumedMethodsTest extends FolderCase {
  private static final boolean LONG = Boolean.getBoolean("weft.long");

  /** How far apart bytes are damaged; with {@code weft.long}, every byte is. */
  private static final int STEP = LONG ? 1 : 11;

  /** Behind a file's first bytes, which have its sizes, so many are damaged: rows of factors. */
  private static final int PLACES = 20;

  private static final int HEAD_BYTES = 512;

  private String tensor = "";

  @BeforeEach
  void writeTensor() {
    tensor = scattered(400, new int[] {11, 13, 17}, new int[] {1, 7, 5}, e -> 1 + e % 9);
  }

  private Run weft(String command, String output, String more) {
    String name = command.substring(0, command.indexOf(' '));
    String options = command.substring(name.length()) + " " + more;
    String line = name + " " + tensor + options + " --output " + folder + "/" + output;
    return Run.of(line.replace("DIR", folder.toString()).trim().split(" +"));
  }

  private List<Path> matrices(String output) throws IOException {
    try (Stream<Path> all = Files.list(folder.resolve(output))) {
      return all.filter(file -> file.toString().endsWith(".npy")).toList();
    }
  }

  private void assertSame(String one, String other) throws IOException {
    List<Path> found = matrices(one);
    assertThat(found).hasSizeGreaterThanOrEqualTo(4);
    for (Path file : found) {
      assertThat(file).hasSameBinaryContentAs(folder.resolve(other).resolve(file.getFileName()));
    }
    assertThat(fits(one)).isEqualTo(fits(other));
  }

  private String fits(String output) {
    String summary = Run.read(folder + "/" + output + "/summary.json");
    int from = summary.indexOf("\"fits\" :");
    assertThat(from).as(summary).isNotNegative();
    return summary.substring(from, summary.indexOf(']', from));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpd --rank 3 --dimension-tree on",
        "cpd --rank 3 --dimension-tree on --nonnegative --type float --reorder degree",
        "cpd --rank 3 --dimension-tree on --constrain 0=simplex,1=smooth:0.1,2=l1:0.1",
        "tucker --ranks 3,2,4 --starts 2",
        "tucker --ranks 3,2,4 --init random --type float",
        "tucker --ranks 3,2,4 --nonnegative --starts 2",
        "tucker --ranks 3,2,4 --nonnegative --type float",
        "tucker --ranks 3,2,4 --type float",
        "cpapr --rank 3 --method mu --kkt 0",
        "cpapr --rank 3 --method pdnr --kkt 0",
        "cpapr --rank 3 --method pqnr --kkt 0 --type float",
        "gcp --rank 3 --loss poisson --inner 3",
        "gcp --rank 3 --loss gaussian --inner 3 --zeros 2 --type float --starts 2",
        "gcp --rank 3 --loss huber:2 --optimizer lbfgs --inner 4",
        "gcp --rank 3 --loss poisson --optimizer lbfgs --inner 4 --type float",
        "complete --rank 2 --ridge 0.1,0.01",
        "complete --rank 2 --ridge 0.1 --missing-weight 0.3",
        "complete --rank 2 --ridge 0.1 --missing-weight 1 --type float --no-biases",
        "complete --rank 2 --method ccd --ridge 0.1 --starts 2",
        "complete --rank 2 --method sgd --batches 4 --ridge 0.1",
        "complete --rank 2 --method sgd --batches 3 --ridge 0.1 --type float --no-biases",
      })
  void aMethodGoesOnFromEveryState(String command) throws IOException {
    boolean both = LONG || !command.contains("--type float");
    goesOn(command, 7, both ? new int[] {1, 4} : new int[] {4});
    Run again =
        weft(method(command), "again", "--iterations 7 --resume --checkpoint DIR/kept4").succeeds();
    assertThat(again.out()).contains("resume after iteration 7").doesNotContain("iteration   7  ");
    assertSame("again", "whole");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "gcp --rank 2 --loss poisson --optimizer lbfgs --inner 1 --zeros 0 --master local[2]",
        "cpapr --rank 2 --method mu --inner 2 --kkt 0 --master local[2]",
        "cpd --rank 2 --dimension-tree on --master local[2]",
      })
  void aMethodGoesOnWhereExecutorsHaveItsRows(String command) throws IOException {
    goesOn(command, 3, 2);
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "complete --rank 2 --method sgd --batches 2 --ridge 0.1 --master local[2]",
        "tucker --ranks 3,2,4 --master local[2]",
      })
  void anyMethodGoesOnWhereExecutorsHaveItsRows(String command) throws IOException {
    goesOn(command, 7, 1, 4);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpd --append DIR/model --forget 0.9",
        "cpd --append DIR/model --nonnegative --type float",
        "cpd --append DIR/model --master local[2]",
      })
  void anUpdateOfAModelGoesOn(String command) throws IOException {
    String all = tensor;
    StringBuilder before = new StringBuilder();
    for (String line : Run.read(all).split("\n")) {
      String[] at = line.split(" ");
      if (Integer.parseInt(at[0]) <= 9 && Integer.parseInt(at[2]) <= 12) {
        before.append(line).append('\n');
      }
    }
    tensor = Run.write(folder, "before.tns", before.toString());
    weft("cpd --rank 3 --nonnegative", "model", "--iterations 2").succeeds();
    tensor = all;
    goesOn(command, 7, 1, 4);
    String another =
        command.replace("0.9", "0.5") + (command.contains("0.9") ? "" : " --forget 0.5");
    Run other = weft(method(another), "other", "--resume --checkpoint DIR/kept1");
    assertThat(other.err()).contains("WEFT-100", "--forget ", ", found 0.5");
  }

  private static String method(String command) {
    boolean judges = command.startsWith("cpapr") || command.startsWith("complete");
    return command + (judges ? "" : " --tolerance 0");
  }

  private void goesOn(String command, int iterations, int... interrupted) throws IOException {
    String method = method(command);
    String all = "--iterations " + iterations + " ";
    weft(method, "whole", all).succeeds();
    for (int first : interrupted) {
      String kept = "--checkpoint DIR/kept" + first + " --every 2it";
      weft(method, "part" + first, "--iterations " + first + " " + kept).succeeds();
      Run on = weft(method, "on" + first, all + "--resume " + kept).succeeds();
      assertThat(on.out()).contains("resume after iteration " + first);
      assertSame("on" + first, "whole");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tucker --ranks 3,2,4|--ranks 3,3,4|--ranks 3,2,4, found 3,3,4",
        "tucker --ranks 3,2,4|--ranks 3,2,4 --seed 5|seed 0, found 5",
        "tucker --ranks 3,2,4|--ranks 3,2,4 --init random|--init sthosvd, found random",
        "cpapr --rank 3|--rank 3 --method pdnr|--method MU, found PDNR",
        "gcp --rank 3 --loss poisson|--rank 3 --loss gaussian|--loss poisson, found gaussian",
        "gcp --rank 3 --loss poisson|--rank 3 --loss poisson --zeros 1|--zeros all, found 1",
        "complete --rank 2|--rank 2 --ridge 0.5|--ridge 0.01, found 0.5",
        "complete --rank 2|--rank 2 --split 0.2,0|--split 0.1,0.1, found 0.2,0.0",
        "complete --rank 2|--rank 2 --iterations 2|--iterations 3, found 2; give the same or",
      })
  void otherArgumentsAreRefusedWithTheDifference(String line) {
    List<String> parts = Arrays.asList(line.split("[|]"));
    String kept = " --checkpoint DIR/kept --iterations 3";
    weft(parts.get(0), "first", kept).succeeds();
    String name = parts.get(0).substring(0, parts.get(0).indexOf(' ') + 1);
    String more = parts.get(1).contains("--iterations") ? "" : " --iterations 3";
    Run other = weft(name + parts.get(1) + more, "other", "--checkpoint DIR/kept --resume");
    assertThat(other.status()).as(other.out()).isEqualTo(2);
    assertThat(other.err()).contains("WEFT-100", "which had ", parts.get(2));
    assertThat(folder.resolve("other")).doesNotExist();
    weft(parts.get(0), "without", kept).fails(2, "expected no state of an earlier run, found one");
  }

  /** As after a kill: the state that was being written is not whole, or the one before counts. */
  @Test
  void aDamagedStateFallsBackOnTheOneBefore() throws IOException {
    String gcp = "gcp --rank 3 --loss huber:2 --optimizer lbfgs --inner 2 --tolerance 0";
    weft(gcp, "whole", "--iterations 6").succeeds();
    String kept = " --checkpoint DIR/kept --every 1it";
    weft(gcp, "part", "--iterations 4" + kept).succeeds();
    Path newest = folder.resolve("kept/start0/state1/moved0_1.npy");
    byte[] bytes = Files.readAllBytes(newest);
    bytes[bytes.length / 2] ^= 1;
    Files.write(newest, bytes);
    Run on = weft(gcp, "on", "--iterations 6 --resume" + kept).succeeds();
    assertThat(on.out()).contains("resume after iteration 3");
    assertSame("on", "whole");
  }

  private CheckpointFolder kept() {
    String uri = folder + "/kept/start0";
    CheckpointFolder.Every every = CheckpointFolder.Every.parse("1it");
    FileAccess files = CommonOptions.files();
    return new CheckpointFolder(files, uri, every, Map.of(), Map.of(), Map.of());
  }

  /** Iterations of the state that a run would go on from. */
  private int resumed() throws IOException {
    CheckpointFolder found = kept();
    assertThat(found.resume()).isTrue();
    return found.sweeps();
  }

  /** Also where the damage looks like the arguments of another run, or like sizes. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpd --rank 2",
        "cpd --rank 2 --constrain 0=simplex,1=smooth:0.1 --type float",
        "tucker --ranks 2,1,2",
        "tucker --ranks 2,1,2 --nonnegative",
        "cpapr --rank 2 --method mu --kkt 0",
        "cpapr --rank 2 --method pqnr --kkt 0",
        "gcp --rank 2 --loss poisson --inner 2 --zeros 1",
        "gcp --rank 2 --loss huber:2 --optimizer lbfgs --inner 2",
        "complete --rank 1 --ridge 0.1",
        "complete --rank 1 --ridge 0.1 --method sgd --batches 2",
      })
  void anyDamagedByteOfAnyMethodFallsBackOnTheStateBefore(String command) throws IOException {
    weft(method(command), "first", "--iterations 3 --every 1it --checkpoint DIR/kept").succeeds();
    assertThat(resumed()).isEqualTo(3);
    Path newest = folder.resolve("kept/start0/state0");
    List<String> names = Run.names(newest);
    assertThat(names).contains("state").hasSizeGreaterThan(3);
    for (String name : names) {
      Path file = newest.resolve(name);
      byte[] whole = Files.readAllBytes(file);
      int sparse = LONG ? STEP : STEP + whole.length / PLACES;
      for (int at = 0; at < whole.length; at += at < HEAD_BYTES ? STEP : sparse) {
        byte[] changed = whole.clone();
        changed[at] ^= 0x7f;
        Files.write(file, changed);
        assertThat(resumed()).as("%s with byte %d changed", name, at).isEqualTo(2);
        Files.write(file, Arrays.copyOf(whole, at));
        assertThat(resumed()).as("%s of %d bytes", name, at).isEqualTo(2);
      }
      Files.write(file, Arrays.copyOf(whole, whole.length + 1));
      assertThat(resumed()).as("%s with a byte more", name).isEqualTo(2);
      Files.delete(file);
      assertThat(resumed()).as("no %s", name).isEqualTo(2);
      Files.write(file, whole);
      assertThat(resumed()).isEqualTo(3);
    }
    Path pointer = folder.resolve("kept/start0/latest");
    for (String damage : List.of("", "\u0000", "7", "1 after")) {
      Files.writeString(pointer, damage);
      assertThat(resumed()).as("latest: " + damage).isBetween(2, 3);
    }
  }

  /** A damaged file is not read as a state, and asks for no more memory than it has bytes. */
  @Test
  void aDamagedFileOfAStateIsOneError() throws IOException {
    String tucker = "tucker --ranks 2,2,2 --tolerance 0 --iterations 2 --checkpoint DIR/kept";
    weft(tucker, "first", "").succeeds();
    Path file = folder.resolve("kept/start0/state0/state");
    byte[] whole = Files.readAllBytes(file);
    for (int at = 0; at < whole.length; at += LONG ? 1 : 7) {
      byte[] damaged = whole.clone();
      damaged[at] ^= 0x7f;
      Files.write(file, damaged);
      Run run = weft(tucker, "other", "--resume");
      assertThat(run.status()).as("byte " + at + run.err()).isEqualTo(2);
      assertThat(run.err()).contains("weft: WEFT-").doesNotContain("WEFT-4");
      assertThat(folder.resolve("other")).doesNotExist();
    }
  }
}
