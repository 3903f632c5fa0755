package org.weft.jobs.workflow;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Reads the steps of a workflow; see {@link WorkflowReader}. */
final class StepReader {
  private static final List<String> FIELDS =
      List.of(
          "id", "run", "in", "uses", "out", "updates", "scratch", "needs", "when", "retries",
          "backoff", "timeout");
  private static final Duration BACKOFF = Duration.ofSeconds(10);
  private static final String KEY = "${" + Words.STEP_KEY + "}";

  private final YamlText yaml;
  private final Problems problems;
  private final Map<String, String> values;
  private final Map<String, String> withKey;
  private final Map<String, Node> defaults;
  private final Function<List<String>, Optional<String>> check;
  private final Set<String> misnamed;

  /**
   * @param defaults of {@code retries}, {@code backoff} and {@code timeout}
   * @param check what is wrong with the words of a command, if anything
   * @param misnamed gets what stands in the place of the names of steps that have none
   */
  StepReader(
      YamlText yaml,
      Problems problems,
      Map<String, String> values,
      Map<String, Node> defaults,
      Function<List<String>, Optional<String>> check,
      Set<String> misnamed) {
    this.yaml = yaml;
    this.problems = problems;
    this.values = values;
    this.withKey = new LinkedHashMap<>(values);
    withKey.put(Words.STEP_KEY, KEY);
    this.defaults = defaults;
    this.check = check;
    this.misnamed = misnamed;
  }

  /** Checks what steps take if they say nothing else, also if all of them do. */
  static void checkTimes(YamlText yaml, Map<String, Node> defaults) {
    yaml.count(defaults.get("retries"), "retries", 0);
    yaml.duration(defaults.get("backoff"), "backoff", BACKOFF);
    yaml.limit(defaults.get("timeout"), "timeout");
  }

  /** The step that {@code node} is, unless it has no name. A wrong command has no words. */
  Optional<WorkflowStep> step(Node node) {
    if (!(node instanceof MappingNode mapping)) {
      yaml.wrong(node, "a step, beginning with '- id: NAME'");
      return Optional.empty();
    }
    Map<String, Node> fields = yaml.fields(mapping, "a step", FIELDS);
    Position at = YamlText.position(node);
    String id = yaml.name(fields.get("id"), at, "id");
    List<String> command = command(fields.get("run"), at);
    WorkflowStep step =
        new WorkflowStep(
            id,
            command,
            uris(fields.get("in"), "in", values),
            uris(fields.get("uses"), "uses", values),
            outputs(fields.get("out"), "out", command),
            outputs(fields.get("updates"), "updates", command),
            scratch(fields.get("scratch")),
            yaml.texts(fields.get("needs"), "needs").stream().map(ScalarNode::getValue).toList(),
            condition(fields.get("when")),
            yaml.count(field(fields, "retries"), "retries", 0),
            yaml.duration(field(fields, "backoff"), "backoff", BACKOFF),
            yaml.limit(field(fields, "timeout"), "timeout"),
            at);
    if (id.isEmpty()) {
      misnamed.add(fields.get("id") instanceof ScalarNode said ? said.getValue() : "");
      return Optional.empty();
    }
    return Optional.of(step);
  }

  private @Nullable Node field(Map<String, Node> fields, String name) {
    return fields.containsKey(name) ? fields.get(name) : defaults.get(name);
  }

  private List<String> command(@Nullable Node node, Position at) {
    if (node == null) {
      problems.add(at, "expected 'run: COMMAND ...', a weft command, found none");
      return List.of();
    }
    List<String> words = new ArrayList<>();
    boolean readable = true;
    for (ScalarNode text : yaml.texts(node, "run")) {
      try {
        Words.filled(text.getValue(), withKey);
      } catch (Words.Misspelt e) {
        misspelt(text, e);
        readable = false;
      }
      try {
        List<String> split =
            node instanceof ScalarNode ? Words.split(text.getValue()) : List.of(text.getValue());
        for (String word : readable ? split : List.<String>of()) {
          words.add(Words.filled(word, withKey));
        }
      } catch (Words.Misspelt e) {
        misspelt(text, e);
        readable = false;
      }
    }
    if (!readable) {
      return List.of();
    }
    if (!words.isEmpty() && words.get(0).equals("weft")) {
      words.remove(0);
    }
    Optional<String> wrong =
        words.isEmpty()
            ? Optional.of("expected a weft command, found nothing")
            : check.apply(words);
    if (wrong.isPresent()) {
      problems.add(YamlText.position(node), "%s", wrong.get());
      return List.of();
    }
    return words;
  }

  private List<String> uris(@Nullable Node node, String name, Map<String, String> parameters) {
    List<String> uris = new ArrayList<>();
    for (ScalarNode text : yaml.texts(node, name)) {
      location(text, name, parameters).ifPresent(uris::add);
    }
    return uris;
  }

  private Optional<String> location(ScalarNode text, String name, Map<String, String> parameters) {
    try {
      String uri = Words.location(Words.filled(text.getValue(), parameters));
      if (!uri.isEmpty()) {
        return Optional.of(uri);
      }
      problems.add(
          YamlText.position(text), "expected %s: a file or folder, found an empty name", name);
      return Optional.empty();
    } catch (Words.Misspelt e) {
      misspelt(text, e);
      return Optional.empty();
    }
  }

  private void misspelt(ScalarNode text, Words.Misspelt wrong) {
    wrong.said().forEach(said -> problems.add(YamlText.position(text), "%s", said));
  }

  /** What a command writes is a word of it, or it would write something else. */
  private List<String> outputs(@Nullable Node node, String name, List<String> command) {
    List<String> uris = new ArrayList<>();
    for (ScalarNode text : yaml.texts(node, name)) {
      Optional<String> uri = location(text, name, values);
      boolean named = uri.isPresent() && command.stream().anyMatch(w -> names(w, uri.get()));
      if (uri.isPresent() && !named && !command.isEmpty()) {
        problems.add(
            YamlText.position(text),
            "expected %s: a file or folder that the command names, found '%s'",
            name,
            uri.get());
      }
      uri.ifPresent(uris::add);
    }
    return uris;
  }

  /** Whether a word is a location, or has it after an equals sign. */
  private static boolean names(String word, String uri) {
    return Words.location(word).equals(uri)
        || word.endsWith("=" + uri)
        || Words.location(word.substring(word.indexOf('=') + 1)).equals(uri);
  }

  /** Removed after the step; a name that has the key can be nobody else's. */
  private List<String> scratch(@Nullable Node node) {
    List<String> uris = new ArrayList<>();
    for (ScalarNode text : yaml.texts(node, "scratch")) {
      Optional<String> uri = location(text, "scratch", withKey);
      if (uri.isPresent() && !uri.get().substring(uri.get().lastIndexOf('/') + 1).contains(KEY)) {
        problems.add(
            YamlText.position(text),
            "expected scratch: a folder whose own name has %s, as it is removed, found '%s'",
            KEY,
            uri.get());
      }
      uri.ifPresent(uris::add);
    }
    return uris;
  }

  private Optional<Condition> condition(@Nullable Node node) {
    for (ScalarNode text : yaml.texts(node, "when")) {
      try {
        return Optional.of(Condition.parse(Words.filled(text.getValue(), values)));
      } catch (Words.Misspelt e) {
        misspelt(text, e);
      }
    }
    return Optional.empty();
  }
}
