package org.weft.jobs.wordnet;

import java.util.Map;

/**
 * A kind of pointer between synsets.
 *
 * @param symbol as in the data files: {@code @}, {@code %m}
 * @param name as in {@code wninput(5WN)}; the symbol itself if it is not listed there
 */
public record Relation(String symbol, String name) {
  private static final Map<String, String> NAMES =
      Map.ofEntries(
          Map.entry("!", "antonym"),
          Map.entry("@", "hypernym"),
          Map.entry("@i", "instance hypernym"),
          Map.entry("~", "hyponym"),
          Map.entry("~i", "instance hyponym"),
          Map.entry("#m", "member holonym"),
          Map.entry("#s", "substance holonym"),
          Map.entry("#p", "part holonym"),
          Map.entry("%m", "member meronym"),
          Map.entry("%s", "substance meronym"),
          Map.entry("%p", "part meronym"),
          Map.entry("=", "attribute"),
          Map.entry("+", "derivationally related"),
          Map.entry(";c", "topic domain"),
          Map.entry("-c", "topic member"),
          Map.entry(";r", "region domain"),
          Map.entry("-r", "region member"),
          Map.entry(";u", "usage domain"),
          Map.entry("-u", "usage member"),
          Map.entry("*", "entailment"),
          Map.entry(">", "cause"),
          Map.entry("^", "also see"),
          Map.entry("$", "verb group"),
          Map.entry("&", "similar to"),
          Map.entry("<", "participle of verb"),
          Map.entry("\\", "pertainym"));

  static Relation of(String symbol) {
    return new Relation(symbol, NAMES.getOrDefault(symbol, symbol));
  }
}
