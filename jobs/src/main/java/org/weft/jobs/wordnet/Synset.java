package org.weft.jobs.wordnet;

import java.util.List;

/**
 * A set of words with one meaning.
 *
 * @param words synonyms, the most frequent first; at least one
 * @param partOfSpeech {@code n}, {@code v}, {@code a} or {@code r}
 */
public record Synset(List<String> words, char partOfSpeech) {
  public Synset {
    words = List.copyOf(words);
  }

  /** The first word and the part of speech: {@code dog (n)}. */
  public String label() {
    return words.get(0) + " (" + partOfSpeech + ")";
  }
}
