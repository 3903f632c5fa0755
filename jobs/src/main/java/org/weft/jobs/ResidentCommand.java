package org.weft.jobs;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.weft.jobs.command.CommandRoot;
import org.weft.jobs.output.Console;
import org.weft.storage.document.JsonText;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weft resident}: a compiler that stays, for {@code weft.eval} of Python. */
@Command(
    name = "resident",
    description = {
      "Compile each expression that another program sends.",
      "The other program writes lines to standard input. A line is a JSON array with the"
          + " arguments of one 'weft compile'. The command answers each line with a line of JSON,"
          + " which has 'status' and 'message'. The command ends when its input ends. weft.eval"
          + " of Python starts this command."
    },
    footer = {"", "Example: echo '[\"y(i) = A(i,j) * x(j)\", \"-o\", \"k.so\"]' | weft resident"})
final class ResidentCommand implements Callable<Integer> {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  private boolean help;

  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException {
    Console console = ((CommandRoot) spec.root().userObject()).console();
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      if (!line.isBlank()) {
        console.result("%s", answer(line));
      }
    }
    return 0;
  }

  private static String answer(String line) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("compile"));
    try {
      arguments.addAll(texts(line));
    } catch (JsonProcessingException e) {
      return answer(2, "expected a JSON array of texts, found " + line);
    }
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(said, true, StandardCharsets.UTF_8);
    int status = Weft.run(arguments.toArray(String[]::new), stream, stream);
    return answer(status, said.toString(StandardCharsets.UTF_8).strip());
  }

  private static String answer(int status, String message) throws IOException {
    return JsonText.line(Map.of("status", status, "message", message));
  }

  private static List<String> texts(String line) throws IOException {
    List<String> texts = new ArrayList<>();
    try (JsonParser json = new JsonFactory().createParser(line)) {
      JsonToken token = json.nextToken();
      if (token != JsonToken.START_ARRAY) {
        throw new JsonParseProblem();
      }
      for (token = json.nextToken(); token == JsonToken.VALUE_STRING; token = json.nextToken()) {
        texts.add(json.getText());
      }
      if (token != JsonToken.END_ARRAY) {
        throw new JsonParseProblem();
      }
    }
    return texts;
  }

  /** JSON of another shape. */
  private static final class JsonParseProblem extends JsonProcessingException {
    private static final long serialVersionUID = 1L;

    JsonParseProblem() {
      super("another shape");
    }
  }
}
