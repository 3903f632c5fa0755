package org.weft.jobs.workflow;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.weft.error.WeftException;

/**
 * Reads a workflow file.
 *
 * <pre>
 * name: nightly                  # letters, digits, - and _
 * parameters: {date: , rank: 8}  # without a value it has to be given
 * defaults: {retries: 2, backoff: 10s, timeout: 2h}
 * steps:
 *   - id: model
 *     run: cpd ${data}/events.weft --rank ${rank} --output results/${date}
 *     in: ...  uses: ...  out: ...  updates: ...  scratch: ...  needs: ...   # one or a list
 *     when: exists results/current
 *     retries: 1  backoff: 30s  timeout: 1h
 * </pre>
 *
 * Cost: O(size of the file).
 */
final class WorkflowReader {
  private static final List<String> TOP = List.of("name", "parameters", "defaults", "steps");
  private static final List<String> DEFAULTS = List.of("retries", "backoff", "timeout");

  private final YamlText yaml;
  private final Problems problems;
  private final Function<List<String>, Optional<String>> check;
  private final Map<String, String> values = new LinkedHashMap<>();
  private final Set<String> unknown = new HashSet<>();

  private WorkflowReader(
      YamlText yaml, Problems problems, Function<List<String>, Optional<String>> check) {
    this.yaml = yaml;
    this.problems = problems;
    this.check = check;
  }

  /**
   * The workflow in {@code text}.
   *
   * @param file its name, for errors
   * @param given parameters, instead of those of the file
   * @param check what is wrong with the words of a command, if anything
   * @throws WeftException {@code INVALID_WORKFLOW}
   */
  static WorkflowFile read(
      String file,
      String text,
      Map<String, String> given,
      Function<List<String>, Optional<String>> check) {
    Problems problems = new Problems(file, text);
    YamlText yaml = new YamlText(problems);
    MappingNode root = yaml.root(file, text);
    problems.check();
    WorkflowReader reader = new WorkflowReader(yaml, problems, check);
    WorkflowFile workflow = reader.workflow(root, text, given);
    problems.check();
    return workflow;
  }

  private WorkflowFile workflow(MappingNode root, String text, Map<String, String> given) {
    Map<String, Node> fields = yaml.fields(root, "the workflow", TOP);
    Position start = YamlText.position(root);
    String name = yaml.name(fields.get("name"), start, "name");
    parameters(fields.get("parameters"), given, start);
    Map<String, Node> defaults = new HashMap<>();
    if (fields.get("defaults") instanceof MappingNode mapping) {
      defaults.putAll(yaml.fields(mapping, "defaults", DEFAULTS));
    } else if (fields.get("defaults") != null) {
      yaml.wrong(fields.get("defaults"), "defaults as NAME: VALUE lines");
    }
    StepReader.checkTimes(yaml, defaults);
    List<WorkflowStep> steps = new ArrayList<>();
    Set<String> misnamed = new HashSet<>();
    StepReader stepReader =
        new StepReader(yaml, problems, values, defaults, this::mistake, misnamed);
    Node list = fields.get("steps");
    if (list == null) {
      problems.add(start, "expected steps, a list that begins with '- id: NAME', found none");
    } else {
      List<Node> nodes = yaml.list(list, "steps as a list, each beginning with '- id: NAME'");
      if (nodes.isEmpty() && list instanceof SequenceNode) {
        problems.add(YamlText.position(list), "expected at least one step, found none");
      }
      for (Node node : nodes) {
        stepReader.step(node).ifPresent(steps::add);
      }
    }
    return new WorkflowFile(name, text, values, new StepOrder(problems, misnamed).ordered(steps));
  }

  /** What is wrong with a command; without the value of a parameter, nobody knows. */
  private Optional<String> mistake(List<String> words) {
    boolean known =
        words.stream()
            .noneMatch(word -> unknown.stream().map(Words::unknown).anyMatch(word::contains));
    return known ? check.apply(words) : Optional.empty();
  }

  private String unknown(String name) {
    unknown.add(name);
    return Words.unknown(name);
  }

  private void parameters(
      @org.jspecify.annotations.Nullable Node node, Map<String, String> given, Position start) {
    Map<String, Position> missing = new LinkedHashMap<>();
    if (node instanceof MappingNode mapping) {
      for (NodeTuple tuple : mapping.getValue()) {
        String name = yaml.name(tuple.getKeyNode(), start, "a parameter");
        String value = given.get(name);
        if (value == null && YamlText.isEmpty(tuple.getValueNode())) {
          missing.put(name, YamlText.position(tuple.getKeyNode()));
          value = unknown(name);
        } else if (value == null && tuple.getValueNode() instanceof ScalarNode scalar) {
          value = scalar.getValue();
        } else if (value == null) {
          yaml.wrong(tuple.getValueNode(), "text as the value of parameter " + name);
          value = unknown(name);
        }
        values.put(name, value);
      }
    } else if (node != null && !YamlText.isEmpty(node)) {
      yaml.wrong(node, "parameters as NAME: DEFAULT lines");
    }
    missing.forEach(
        (name, at) ->
            problems.add(
                at,
                "expected a value of parameter %s, found none; give --set %s=VALUE",
                name,
                name));
    for (String name : new TreeSet<>(given.keySet())) {
      if (!values.containsKey(name)) {
        problems.add(
            node == null ? start : YamlText.position(node),
            "--set %s: expected one of the parameters %s",
            name,
            values.isEmpty() ? "of the file, which has none" : String.join(", ", values.keySet()));
      }
    }
  }
}
