package org.weft.jobs.workflow;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.weft.compiler.program.check.NearestNames;

/**
 * Reads parts of a YAML text as numbers, names and lists, and reports any other part with its
 * place.
 */
final class YamlText {
  private static final Pattern NAME = Pattern.compile("[A-Za-z][\\w-]*");
  private static final Pattern AGE = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");

  private final Problems problems;

  YamlText(Problems problems) {
    this.problems = problems;
  }

  static Position position(Node node) {
    return node.getStartMark().map(YamlText::position).orElse(new Position(1, 1));
  }

  private static Position position(Mark mark) {
    return new Position(mark.getLine() + 1, mark.getColumn() + 1);
  }

  static boolean isEmpty(Node node) {
    return node.getTag().equals(Tag.NULL);
  }

  /** The outermost mapping; an empty one if the text has none. */
  MappingNode root(String file, String text) {
    MappingNode none =
        new MappingNode(Tag.MAP, List.of(), org.snakeyaml.engine.v2.common.FlowStyle.BLOCK);
    try {
      LoadSettings settings =
          LoadSettings.builder().setLabel(file).setAllowDuplicateKeys(true).build();
      Optional<Node> root = new Compose(settings).composeString(text);
      if (root.isPresent() && root.get() instanceof MappingNode mapping) {
        return mapping;
      }
      problems.add(new Position(1, 1), "expected a workflow with 'name:' and 'steps:', found none");
    } catch (MarkedYamlEngineException e) {
      problems.add(
          e.getProblemMark().map(YamlText::position).orElse(new Position(1, 1)),
          "expected YAML: %s",
          said(e));
    } catch (YamlEngineException e) {
      problems.add(new Position(1, 1), "expected YAML: %s", String.valueOf(e.getMessage()));
    } catch (StackOverflowError e) { // the library has no limit of its own
      problems.add(
          new Position(1, 1), "expected lists and mappings of few levels, found too many to read");
    }
    return none;
  }

  private static String said(MarkedYamlEngineException e) {
    String context = e.getContext() == null ? "" : e.getContext() + " ";
    return context + e.getProblem();
  }

  void wrong(Node node, String expected) {
    String found =
        node instanceof ScalarNode scalar
            ? isEmpty(node) ? "nothing" : "'" + scalar.getValue() + "'"
            : node instanceof SequenceNode ? "a list" : "NAME: VALUE lines";
    problems.add(position(node), "expected %s, found %s", expected, found);
  }

  /** The values of a mapping by their names, all of which are {@code known}. */
  Map<String, Node> fields(MappingNode mapping, String of, List<String> known) {
    Map<String, Node> fields = new LinkedHashMap<>();
    for (NodeTuple tuple : mapping.getValue()) {
      Node key = tuple.getKeyNode();
      String name = key instanceof ScalarNode scalar ? scalar.getValue() : "";
      if (!known.contains(name)) {
        wrong(
            key,
            "one of "
                + String.join(", ", known)
                + " in "
                + of
                + NearestNames.nearest(name, known)
                    .map(n -> " (did you mean " + n + "?)")
                    .orElse(""));
      } else if (fields.put(name, tuple.getValueNode()) != null) {
        problems.add(position(key), "expected %s once in %s, found it twice", name, of);
      }
    }
    return fields;
  }

  /** The elements of a list. */
  List<Node> list(Node node, String expected) {
    if (node instanceof SequenceNode sequence) {
      return sequence.getValue();
    }
    wrong(node, expected);
    return List.of();
  }

  /** One text, or a list of texts. */
  List<ScalarNode> texts(@Nullable Node node, String name) {
    List<ScalarNode> texts = new ArrayList<>();
    if (node == null) {
      return texts;
    }
    List<Node> nodes = node instanceof SequenceNode sequence ? sequence.getValue() : List.of(node);
    for (Node element : nodes) {
      if (element instanceof ScalarNode scalar && !isEmpty(element)) {
        texts.add(scalar);
      } else {
        wrong(element, name + " as text, or as a list of texts");
      }
    }
    return texts;
  }

  /** A name; {@code ""} if it is none. */
  String name(@Nullable Node node, Position at, String of) {
    if (node == null) {
      problems.add(at, "expected '%s: NAME', found none", of);
    } else if (node instanceof ScalarNode scalar && NAME.matcher(scalar.getValue()).matches()) {
      return scalar.getValue();
    } else {
      wrong(node, of + " of letters, digits, - and _, beginning with a letter");
    }
    return "";
  }

  int count(@Nullable Node node, String name, int otherwise) {
    if (node == null) {
      return otherwise;
    }
    if (node instanceof ScalarNode scalar && scalar.getValue().matches("[0-9]{1,3}")) {
      return Integer.parseInt(scalar.getValue());
    }
    wrong(node, name + " as a number from 0 to 999");
    return otherwise;
  }

  /** A duration above 0; 0 if there is none. */
  Duration limit(@Nullable Node node, String name) {
    if (node == null) {
      return Duration.ZERO;
    }
    Duration limit = duration(node, name, Duration.ofMillis(1));
    if (limit.isZero()) {
      wrong(node, name + " above 0, or none for no limit");
    }
    return limit;
  }

  Duration duration(@Nullable Node node, String name, Duration otherwise) {
    if (node == null) {
      return otherwise;
    }
    Matcher matcher = AGE.matcher(node instanceof ScalarNode scalar ? scalar.getValue() : "");
    if (!matcher.matches()) {
      wrong(node, name + " as a number with ms, s, m, h or d, such as 30s");
      return otherwise;
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }
}
