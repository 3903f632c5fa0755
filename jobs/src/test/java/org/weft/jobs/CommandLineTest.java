package org.weft.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.jobs.help.FirstSteps;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.storage.npy.NpyFile;
import org.weft.tensor.DenseMatrix;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** What needs no Spark: help, usage, and errors that are found before Spark starts. */
class CommandLineTest extends FolderCase {
  private static List<String> explained() {
    return Stream.concat(Commands.explained().stream(), Stream.of("explain")).toList();
  }

  @ParameterizedTest
  @MethodSource("explained")
  void everyCommandHasHelpWithAnExample(String command) {
    Run run = Run.of(command, "--help").succeeds();
    assertThat(run.out()).contains("Example: weft " + command);
    if (!command.equals("explain")) {
      assertThat(run.out())
          .contains("--master", "--partitions", "--threads", "--dry-run", "--quiet", "--verbose");
    }
    assertThat(run.err()).isEmpty();
  }

  @Test
  void withoutACommandThereAreTenThingsToTry() {
    Run run = Run.of();
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out()).contains("weft --help");
    assertThat(run.out().lines().filter(line -> line.startsWith("  weft "))).hasSize(10);
    assertThat(run.out().lines()).allMatch(line -> line.length() <= 80);
    assertThat(run.err()).isEmpty();
  }

  /** Each of them is understood: it fails for want of its file, if at all. */
  @Test
  void whatIsToBeTriedIsRight() {
    for (String line : FirstSteps.lines().keySet()) {
      List<String> words = new ArrayList<>();
      Matcher word = Pattern.compile("'([^']*)'|(\\S+)").matcher(line);
      while (word.find()) {
        words.add(word.group(1) != null ? word.group(1) : word.group(2));
      }
      CommandLine weft = new Weft(new Console(System.out, System.err)).allCommands();
      CommandLine.ParseResult parsed = weft.parseArgs(words.toArray(String[]::new));
      assertThat(parsed.hasSubcommand()).as(line).isTrue();
      assertThat(parsed.unmatched()).as(line).isEmpty();
    }
  }

  /** A command's help explains its own options, and names those that every command has. */
  @Test
  void commonOptionsAreExplainedInOnePlace() {
    Run topic = Run.of("help", "options").succeeds();
    assertThat(topic.out()).contains("--master=URL", "--overwrite", "-q, --quiet");
    assertThat(Run.of("options").out()).isEqualTo(topic.out());
    for (Run help : List.of(Run.of("top", "--help"), Run.of("help", "top"))) {
      assertThat(help.out())
          .contains("--width=N", "--overwrite", "weft help options")
          .doesNotContain("Replace an output", "--master=URL");
      assertThat(help.out().lines().count()).isLessThan(24);
      assertThat(help.out().lines()).allMatch(line -> line.length() <= 80);
    }
    assertThat(Run.of("--help").out()).doesNotContain("  options");
  }

  @Test
  void helpAndVersionOfTheWhole() {
    assertThat(Run.of("--help").out()).contains("mttkrp", "Example: weft demo");
    Run version = Run.of("--version").succeeds();
    assertThat(version.out()).contains("spark   4.2.0").doesNotContain("$", "null", "unknown");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "frobnicate x                            | see 'weft --help'",
        "cdp x                                   | did you mean cpd?",
        "cdp x --rank 3 --output d               | unknown command 'cdp', did you mean cpd?",
        "explain cdp x --rank 3                  | unknown command 'cdp', did you mean cpd?",
        "foo x                                   | unknown command 'foo'; see 'weft --help'",
        "help tpo                                | unknown command 'tpo', did you mean top?; see 'weft",
        "eval s=A --input A=~/a.mtx              | write A=\"$HOME\"/a.mtx; see",
        "eval s=A --input A=~                    | write A=\"$HOME\"; see",
        "cpd IN --rank 2 --output d --labels 0=~/l | write 0=\"$HOME\"/l; see",
        "--hlep                                  | unknown option --hlep, did you mean --help?",
        "mttkrp --hlep                           | unknown option --hlep, did you mean --help?",
        "mttkrp IN --mdoe 0 --rank 2 --output m.npy | unknown option --mdoe, did you mean --mode?",
        "top d --wdith=3                         | unknown option --wdith, did you mean --width?",
        "top d --frobnicate                      | unknown option --frobnicate; weft top has --count,"
            + " --width, --json; see 'weft top",
        "spy IN OUT --mode 0                     | unknown option --mode; weft spy has --method, --size;",
        "cpd IN --rank 2 --iter 3 --output d     | unknown option --iter, did you mean --iterations?",
        "cpd IN --rank 2 --iters=3 --output d    | unknown option --iters, did you mean --iterations?",
        "eval s=A --in A=a.mtx                   | unknown option --in, did you mean --input?",
        "cpd IN --frobnicate --output d          | unknown option --frobnicate; see 'weft cpd",
        "explain mttkrp IN --frob --mode 0       | unknown option --frob; see 'weft explain mttkrp",
        "eval s=A --format CSR                   | expected --format NAME=FORMAT, found 'CSR'; see",
        "eval s=A --size 3                       | expected --size LABEL=N, found '3'; see",
        "eval s=A(i,j,k) --input A=              | expected --input NAME=FILE, found 'A='; see",
        "explain cpd IN --rank 2 --json          | expected --json before the command, as in 'weft explain"
            + " --json cpd ...'; see",
        "cpd IN --rank 2 -V                      | expected -V before the command, as in 'weft -V cpd ...'",
        "cpd IN --rank 1e3                       | expected --rank as a whole number, found '1e3'; see",
        "cpd IN --rank 2 --tolerance low         | expected --tolerance as a number, found 'low'; see",
        "tucker IN --ranks 2,x,2 --output d      | expected --ranks as a whole number, found 'x'; see",
        "cpd IN --rank 2 --output d --memory 1k  | expected --memory of at least",
        "cpd IN --analyze --rank 2               | unknown option --analyze; weft explain has it; see",
        "cpd IN --max-iter 5 --output d          | unknown option --max-iter, did you mean --iterations?",
        "cpd IN --random-seed 5 --output d       | unknown option --random-seed, did you mean --seed?",
        "cpd IN -rank 2                          | unknown option -rank, did you mean --rank?",
        "stats -x.tns                            | weft stats has --json, --names; write ./-x.tns for a file",
        "stats -qv                               | expected IN, found none",
        "frobnicate x                            | unknown command 'frobnicate'; see 'weft --help'",
        "help statz                              | unknown command 'statz', did you mean stats?; see 'weft",
        "explain top x                           | weft explain does not take top; see 'weft explain",
        "workflow frobnicate x.yaml              | unknown command 'frobnicate'; see 'weft workflow",
        "explain cdp x                           | unknown command 'cdp', did you mean cpd?; see 'weft",
        "mttkrp IN --rank 2                      | expected --mode N, found none; for example: weft mttkrp",
        "spy                                     | expected IN and OUT, found none; for example: weft spy",
        "spy IN                                  | expected OUT, found none",
        "eval                                    | expected EXPR, found none; for example: weft eval 'y(i)",
        "mttkrp IN --mode 0 --rank               | expected --rank R, found none",
        "stats IN more words                     | expected nothing after the last argument, found 'more',"
            + " 'words'; see",
        "cpd IN out.model --rank 2               | expected nothing after the last argument, found"
            + " 'out.model'; the result's path is given with --output; see",
        "cpd IN out.model --rank 2 --output=m    | expected nothing after the last argument, found"
            + " 'out.model'; see",
        "eval y(i)=A(i,j) A=a.mtx                | expected nothing after the last argument, found"
            + " 'A=a.mtx'; an operand's file is given with --input NAME=FILE; see",
        "mttkrp IN --mode 0 --rank 2             | expected --output OUT",
        "mttkrp IN --mode one --rank 2 --output m.npy | expected --mode 0 to 2, found one: the"
            + " tensor's order is 3 and its modes have no names",
        "mttkrp IN --mode 3 --rank 2 --output m.npy | expected --mode 0 to 2, found 3",
        "mttkrp IN --mode user --names item,week,user2 --rank 2 --output m.npy | expected --mode 0"
            + " to 2 or item, week, user2, found user",
        "mttkrp IN --mode -1 --rank 2 --output m.npy | expected --mode 0 to 2, found -1",
        "mttkrp IN --mode 0 --output m.npy       | expected --rank R or --factors DIR",
        "mttkrp IN --mode 0 --rank 2 --output m.xyz | expected a file name that ends in",
        "ttm IN --mode 0 --output y.tns          | expected either --matrix M or --rank R",
        "mttkrp IN --mode 0 --rank 0 --output m.npy | expected --rank of at least 1, found 0",
        "ttm IN --mode 0 --rank 2 --output y.npy | the result of weft ttm is sparse",
        "ttm IN --mode 0 --rank 2 --output y.mtx | the result has order 3",
        "ttm IN --mode 0 --matrix u.txt --output y.tns | expected a dense operand in a .npy file",
        "cpd IN --rank 0 --output d              | expected a rank of 1 to 46340, found 0",
        "cpd IN --rank 46341 --output d          | expected a rank of 1 to 46340, found 46341",
        "cpd IN --rank 2147483647 --output d     | expected a rank of 1 to 46340",
        "cpd IN --rank 2 --iterations 0 --output d | expected at least 1 iteration",
        "cpd IN --rank 2 --output d --labels 7=x | expected --labels of a mode from 0 to 2",
        "stats IN --partitions -1                | expected --partitions of at least 0, found -1",
        "stats IN --threads -2                   | expected --threads of at least 0, found -2",
        "top IN --width 1                        | expected --width of at least 8, found 1",
        "top IN --count 0                        | expected --count of at least 1, found 0",
        "predict IN IN --top 2                   | expected --mode MODE with --top 2, found none",
        "predict IN IN --mode 2                  | expected --top N of at least 1 with --mode, found",
        "reorder IN --shuffle 1                  | expected --bench with --shuffle, found none",
        "reorder IN --apply IN --method rcm      | expected --method NAME or --apply DIR, found both",
        "convert IN OUT.weft --by-coordinates    | expected --append with --by-coordinates, found",
        "convert IN OUT.weft --replace-batch     | expected --append with --replace-batch, found",
        "gcp IN --rank 1 --loss gaussian --optimizer lbfgs --rate 1 --output d | expected"
            + " --optimizer adam with --rate, found lbfgs",
        "eval s=A(i,j,k) --input A=IN --memory x | --memory x: expected a size, for example 2g",
        "eval s=A(i,j,k) --input A=IN --machine no.txt | expected the file of a machine, found no",
        "stats IN --memory -1                    | --memory -1: expected a size",
        "cpd IN --rank 1 --output d --checkpoint= | expected a path or URI, found an empty one",
        "cpd IN --rank 1 --output d --forget 2   | expected --forget above 0 and at most 1, found 2",
        "cpd IN --rank 1 --output d --forget .9  | expected --append MODEL with --forget 0.9",
        "compare a b --count -1                  | expected --count of at least 0, found -1",
        "compare a b --limit -1                  | expected --limit of at least 0, found -1.0",
        "stats IN --type int                     | expected --type double or float",
        "generate nell-3 OUT.tns                 | use one of nell-1",
        "generate nell-2 --scale 0 OUT.tns       | expected --scale above 0",
        "generate 5x4x3 --scale 1e20 OUT.tns     | expected --scale for at most 2^53 nonzeros",
        "generate nell-2                         | expected SHAPE OUT",
        "generate 3x3 OUT.tns --nonzeros 10      | expected 1 to 9 nonzeros",
        "generate 3x3 OUT.tns --factors-out d    | expected --planted R",
        "reorder IN --method rcmm                | expected a reordering out of",
        "reorder IN --inverse                    | expected --apply DIR with --inverse",
        "spy IN OUT.jpg                          | ends in .png or .svg",
        "convert IN OUT.tns --master garbage     | weft convert runs in one process: expected no"
            + " Spark master, found garbage; leave it out",
        "--master local spy IN OUT.svg           | weft spy runs in one process",
        "explain reorder IN --method lexi --master local | weft reorder runs in one process",
        "cpd IN --rank 1 --reorder lexy --output d | expected a reordering out of",
        "eval Z(i,j,k)=A(i,j,k) --input A=IN --output x.rb | .mtx",
        "eval Z(i,j,k)=A(i,j,k) --input A=missing --output x.mtx.gz | the result has order 3",
        "eval s=A(i,j,k) --input A=missing --output x.tns | the result is a scalar: print it",
        "convert IN x.rb                         | Harwell-Boeing text is read, but not written",
        "explain                                 | expected a command after explain",
        "explain --executors 0 stats IN          | expected --executors from 1 to 1,000,000, found 0",
        "explain --executors -2 stats IN         | expected --executors from 1 to 1,000,000, found -2",
        "explain --executors 2000000 stats IN    | expected --executors from 1",
        "explain --executors 2 --cores 0 stats IN | expected --cores from 1 to 10,000, found 0",
        "explain --executors 2 --cores -1 stats IN | expected --cores from 1 to 10,000, found -1",
        "explain --executors 2 --network 0 stats IN | expected --network above 0",
        "explain --executors 2 --network NaN stats IN | expected --network above 0",
        "explain --executors 2 --network -1 stats IN | expected --network above 0",
        "explain --executors 2 --memory 0 stats IN | --memory 0: expected a size",
        "explain --executors 2 --memory -1g stats IN | --memory -1g: expected a size",
        "explain --executors 2 --memory 99999999999t stats IN | 99999999999t: expected a size",
        "explain --executors 2 stats IN          | explain --executors works with eval, run, mttkrp",
        "explain --executors 2 convert IN OUT.tns | explain --executors works with eval, run, mttkrp",
        "explain --cores 2 stats IN              | expected --executors N with --cores, found none",
        "explain --network 2 stats IN            | expected --executors N with --network",
        "convert IN OUT.tns --mode-order 1,0,2   | expected --mode-order with a .weft tensor",
        "convert IN OUT.tns --uncompressed       | expected --uncompressed with a .weft tensor",
        "convert IN OUT.tns --keep-order         | expected --keep-order with a .weft tensor to read",
        "convert IN OUT.weft --keep-order        | expected --keep-order with a .weft tensor to read",
        "gc IN                                   | expected a folder .weft, found a file",
        "mttkrp IN --mode 0 --rank 2 --output OUT.npy --reorder-entries 5 | expected --reorder METHOD",
        "convert a.mtx OUT.weft --zero-based     | expected --zero-based with .tns",
        "eval y(i)=A(i,j,k) --input A=IN --format y=CSR | --format y=CSR: bad tensor format",
        "eval y(i)=A(i,j,k) --input A=IN --format A=CSC | --format A=CSC: bad tensor format",
        "compile y(i)=A(i,j) --format y=CSR -o OUT.so | --format y=CSR: bad tensor format"
      })
  void wrongUsageIsOneLineAndStatus2(String line, String expected) {
    Run.write(folder, "in.tns", "1 1 1 1.0\n2 2 2 3\n");
    String[] arguments =
        line == null
            ? new String[0]
            : line.strip()
                .replace("IN", folder.resolve("in.tns").toString())
                .replace("OUT.", folder.resolve("out") + ".")
                .replaceAll(" (m|y|d)(\\.\\w+)?( |$)", " " + folder + "/$1$2$3")
                .split(" +");
    Run run = Run.of(arguments);
    assertThat(run.err()).startsWith("weft: WEFT-").contains(expected);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err().strip().lines()).hasSize(1);
    assertThat(Run.names(folder)).containsExactly("in.tns");
  }

  /** An operand of the wrong shape is named by its file. */
  @Test
  void operandsOfOtherShapesAreNamedByTheirFiles() throws IOException {
    String input = Run.write(folder, "in.tns", "1 1 1 1.0\n2 2 2 3\n");
    String narrow = folder.resolve("f/mode1.npy").toString();
    Files.createDirectory(folder.resolve("f"));
    for (int mode = 0; mode < 3; mode++) {
      FileAccess files = FileAccess.local();
      String file = folder.resolve("f/mode" + mode + ".npy").toString();
      try (OutputCommit output = OutputCommit.begin(files, file, false)) {
        NpyFile.write(output.create(), DenseMatrix.zeros(mode == 1 ? 3 : 2, 2));
        output.commit();
      }
    }
    String output = " --output " + folder + "/";
    for (String line :
        List.of(
            "mttkrp IN --mode 0 --factors F" + output + "m.npy",
            "explain mttkrp IN --mode 0 --factors F/",
            "ttm IN --mode 1 --matrix F/mode1.npy" + output + "m.tns")) {
      String words = line.replace("IN", input).replace("F", folder.resolve("f").toString());
      Run run = Run.of(words.split(" "));
      assertThat(run.err())
          .contains("WEFT-103: " + narrow + ": expected 2 x 2, as mode 1 has size 2, found 3 x 2");
      assertThat(run.status()).isEqualTo(2);
    }
    assertThat(Run.names(folder)).containsExactly("f", "in.tns");
  }

  /** Of the launcher's processes: their heap is a quarter, and the JVM takes 300 MiB beside it. */
  @Test
  void sizesOfMemoryThatAreNamedAreEnough() {
    String said =
        String.join(
            "\n",
            Run.of("help", "options").out(),
            Run.of("explain", "--help").out(),
            Run.of("stats", "x.tns", "--memory", "x").err());
    Matcher sizes =
        Pattern.compile("(?:as|example)\\s+([0-9]+[mg])\\s+or\\s+([0-9]+[mg])").matcher(said);
    int found = 0;
    for (; sizes.find(); found++) {
      assertThat(CommonOptions.bytes(sizes.group(1))).isGreaterThanOrEqualTo(1L << 30);
      assertThat(CommonOptions.bytes(sizes.group(2))).isGreaterThanOrEqualTo(1L << 30);
    }
    assertThat(found).isEqualTo(3);
    String line =
        "explain cpd %s --rank 1 --memory ".formatted(Run.write(folder, "in.tns", "1 1 1 1\n"));
    Matcher least =
        Pattern.compile("of at least ([0-9]+m)").matcher(Run.of((line + "1k").split(" ")).err());
    assertThat(least.find()).isTrue();
    Run.of((line + least.group(1)).split(" ")).succeeds();
  }

  @ParameterizedTest
  @ValueSource(ints = {20_000, 46_340})
  void ranksWhoseMatricesDoNotFitAreRefusedForMemory(int rank) {
    String input = Run.write(folder, "in.tns", "1 1 1 1.0\n2 2 2 3\n");
    String output = folder.resolve("d").toString();
    String line = "cpd %s --rank %d --memory 4g --output %s".formatted(input, rank, output);
    Run run = Run.of(line.split(" "));
    assertThat(run.err()).contains("WEFT-400", "matrices of %d x %d".formatted(rank, rank));
    assertThat(run.status()).isEqualTo(1);
    assertThat(Run.names(folder)).containsExactly("in.tns");
  }

  @Test
  void verboseErrorsHaveTheirStackTrace() {
    Run.of("stats", folder.resolve("no.tns").toString(), "-v")
        .fails(2, "weft: WEFT-105: ", "at org.weft.");
    assertThat(Run.of("stats", "x.tns", "-q", "-v").err()).contains("expected -q or -v");
  }

  /** One process runs many commands, as those of a workflow. */
  @ParameterizedTest
  @ValueSource(
      strings = {"stats in.tns -v", "stats no.tns -v", "eval s=T(i,j) --input T=in.tns -v"})
  void theLogIsAsItWasAfterAVerboseCommand(String line) {
    Run.write(folder, "in.tns", "1 1 1.0\n");
    Level before = LogManager.getLogger("org.apache.spark").getLevel();
    Run.of(line.replaceAll("\\w+.tns", folder + "/$0").split(" "));
    assertThat(before).isNotEqualTo(Level.INFO);
    assertThat(LogManager.getLogger("org.apache.spark").getLevel()).isEqualTo(before);
  }

  @Test
  void commonOptionsWorkBeforeTheCommand() {
    String missing = folder.resolve("no.tns").toString();
    assertThat(Run.of("-v", "stats", missing).err()).contains("WEFT-105: ", "at org.weft.");
    assertThat(Run.of("-q", "stats", "x.tns", "-v").err()).contains("expected -q or -v");
    assertThat(Run.of("stats", "x.tns", "--threads", "-2").err()).contains("found -2");
    assertThat(LeadingOptions.moved(new String[] {"--threads", "2", "-v", "cpd", "x", "--rank"}))
        .containsExactly("cpd", "--threads", "2", "-v", "x", "--rank");
    assertThat(LeadingOptions.moved("-v explain --executors 2 cpd x.tns".split(" ")))
        .containsExactly("explain", "--executors", "2", "cpd", "-v", "x.tns");
    assertThat(LeadingOptions.moved("--memory=2g workflow run x.yaml".split(" ")))
        .containsExactly("workflow", "run", "--memory=2g", "x.yaml");
  }

  @Test
  void otherOptionsBeforeTheCommandAreRefused() {
    assertThat(Run.of("--rankk", "2", "stats", "x").err()).contains("unknown option --rankk");
    assertThat(Run.of("-v").err()).contains("unknown option -v");
    assertThat(Run.of("-v", "cdp", "x.tns").status()).isEqualTo(2);
  }

  @Test
  void aValueThatIsNoNameIsToldTheNamesOfThePages() {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, UTF_8);
    new Weft(new Console(nowhere, nowhere))
        .allCommands()
        .getSubcommands()
        .forEach(
            (name, command) ->
                command.getCommandSpec().args().stream()
                    .filter(argument -> argument.type().isEnum())
                    .forEach(argument -> assertNamesAreTold(name, argument)));
  }

  private static void assertNamesAreTold(String command, ArgSpec argument) {
    boolean option = argument instanceof OptionSpec;
    String given = option ? ((OptionSpec) argument).longestName() + "=" : "";
    String said = option ? ((OptionSpec) argument).longestName() : argument.paramLabel();
    String names =
        Arrays.stream(argument.type().getEnumConstants())
            .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", "));
    assertThat(Run.of(command, given + "No").err())
        .contains("WEFT-100: expected " + said + " as one of " + names + ", found 'No'; see ");
  }

  @Test
  void aMissingInputAndAFolder() {
    Run missing = Run.of("stats", folder.resolve("no.tns").toString());
    assertThat(missing.status()).isEqualTo(2);
    assertThat(missing.err()).startsWith("weft: WEFT-105: ").contains("no.tns");
    Path directory = folder.resolve("dir.tns");
    assertThat(directory.toFile().mkdir()).isTrue();
    Run read = Run.of("convert", directory.toString(), folder.resolve("x.wtb").toString());
    assertThat(read.status()).isEqualTo(2);
    assertThat(read.err()).startsWith("weft: WEFT-").contains("directory");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "convert IN OUT",
        "convert IN OUT.weft",
        "generate 4x4 OUT --nonzeros 3",
        "ttv IN --mode 0 --output OUT",
        "cpd IN --rank 1 --output OUT",
        "eval y(i)=T(i,j,k) --input T=IN --output OUT",
        "spy IN OUT.svg",
      })
  void aFileAmongTheFoldersOfAnOutputIsAMistakeThatNoRetryMends(String command) {
    String in = Run.write(folder, "in.tns", "1 1 1 1.0\n2 2 2 3\n");
    for (String out : new String[] {in + "/x.tns", in + "/y/x.tns"}) {
      Run.of(command.replace("OUT", out).replace("IN", in).split(" "))
          .fails(2, "weft: WEFT-100: " + out, "found a file among them");
    }
    assertThat(Run.names(folder)).containsExactly("in.tns");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'{\n  \"dims\": [1, REDACTED],\n  \"fit\": 1\n}' | :2:15: | other text",
        "'{\n  \"dims\": [1, 2' | :2: | the end of the file",
        "'' | '' | as dims",
        "'no json' | :1: | other text",
        "'{\"dims\": []}' | '' | as dims",
      })
  void aBrokenSummaryOfAModelIsSaidInOurWords(String json, String place, String found) {
    String file = Run.write(folder, "summary.json", json.replace("\\n", "\n"));
    for (String command : new String[] {"top DIR", "report DIR DIR.html"}) {
      Run run = weft(command).fails(2, "weft: WEFT-300: " + file + place, found);
      assertThat(run.err()).doesNotContain("Source", "REDACTED", "Unexpected", "token");
    }
  }

  @Test
  void aFolderThatIsNoDecompositionIsNeverOverwritten() {
    String in = Run.write(folder, "in.tns", "1 1 1 1.0\n2 2 2 3\n");
    Path precious = folder.resolve("precious");
    assertThat(precious.toFile().mkdir()).isTrue();
    String thesis = Run.write(precious, "thesis.doc", "years of work");
    Run run = Run.of("cpd", in, "--rank", "1", "--output", precious.toString(), "--overwrite");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).startsWith("weft: WEFT-104: ").contains("no summary.json");
    assertThat(Run.read(thesis)).isEqualTo("years of work");
  }

  @Test
  void existingOutputIsRefusedUnlessOverwritten() {
    String out = Run.write(folder, "out.tns", "1 1 1\n");
    Run refused = Run.of("generate", "4x4", "--nonzeros", "3", out);
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err()).startsWith("weft: WEFT-104: ").contains(out);
    assertThat(Run.read(out)).isEqualTo("1 1 1\n");
    Run.of("generate", "4x4", "--nonzeros", "3", out, "--overwrite").succeeds();
    assertThat(Run.read(out).lines()).hasSize(3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 1 1 1\\n1 1 2\\n                | WEFT-300 | :2",
        "1 1 x 1\\n                        | WEFT-300 | :1",
        "1 1 1 abc\\n                      | WEFT-300 | :1",
        "1 1 1 nan\\n                      | WEFT-301 | :1",
        "1 1 1 1\\n1 0 1 1\\n              | WEFT-302 | :2",
        "1 1 -4 1\\n                       | WEFT-302 | :1",
        "# only a comment\\n\\n            | WEFT-300 | bad.tns"
      })
  void badFilesNameFileAndLineAndLeaveNothing(String text, String label, String where) {
    String in = Run.write(folder, "bad.tns", text.strip().replace("\\n", "\n"));
    Run run = Run.of("convert", in, folder.resolve("out.wtb").toString());
    assertThat(run.err()).contains("weft: " + label).contains(in).contains(where);
    assertThat(run.status()).isEqualTo(2);
    assertThat(Run.names(folder)).containsExactly("bad.tns");
  }

  @Test
  void conversionSortsAndSums() {
    String in = Run.write(folder, "in.tns", "2 1 1.5\n1 2 1\n2 1 2\n1 1 0\n");
    String out = folder.resolve("out.tns.gz").toString();
    String back = folder.resolve("back.tns").toString();
    Run.of("convert", in, out).succeeds();
    Run.of("convert", out, back).succeeds();
    List<String> lines = Run.read(back).lines().map(l -> l.replaceAll("\\.0$", "")).toList();
    assertThat(lines).containsExactly("1 1 0", "1 2 1", "2 1 3.5");
    Run.of("convert", in, folder.resolve("out.mtx").toString()).succeeds();
    assertThat(Run.read(folder.resolve("out.mtx").toString())).contains("2 2 3");
  }

  @Test
  void dryRunsAndExplanationsWriteNothing() {
    String out = folder.resolve("g.tns").toString();
    assertThat(Run.of("generate", "uber", out, "--dry-run").out()).contains("183 x 24");
    assertThat(Run.of("explain", "generate", "uber", out).out()).contains("3,309,490");
    String in = Run.write(folder, "in.tns", "1 1 1\n");
    Run convert = Run.of("explain", "convert", in, out);
    assertThat(convert.out()).contains("would read").contains("stream");
    assertThat(Run.names(folder)).containsExactly("in.tns");
  }

  @Test
  void generatedFilesAreTheSameForTheSameSeedAndPlantedOnesHaveTheirTruth() {
    String one = folder.resolve("a.tns").toString();
    String two = folder.resolve("b.tns").toString();
    Run.of("generate", "uber", "--scale", "0.001", "--seed", "3", one);
    Run.of("generate", "uber", "--scale", "0.001", "--seed", "3", two);
    assertThat(Run.read(one)).isEqualTo(Run.read(two));
    assertThat(Run.read(one).lines()).hasSize(3309);
    String truth = folder.resolve("truth").toString();
    Run.line(
            "generate --shape 5x4x3 --planted 2 --noise 0.01 --factors-out %s %s",
            truth, folder.resolve("p.tns").toString())
        .succeeds();
    assertThat(Run.names(folder.resolve("truth")))
        .containsExactly("lambda.npy", "mode0.npy", "mode1.npy", "mode2.npy");
    assertThat(Run.read(folder.resolve("p.tns").toString()).lines()).hasSize(60);
  }
}
