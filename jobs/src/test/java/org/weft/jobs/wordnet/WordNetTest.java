package org.weft.jobs.wordnet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.weft.tensor.CooBlock;

class WordNetTest {
  private static final WordNet WORDNET = WordNet.load();

  /** Counts of the data files: 82,192 nouns, 13,789 verbs, 18,185 adjectives, 3,625 adverbs. */
  @Test
  void countsAreThoseOfTheDatabase() {
    assertThat(WORDNET.synsets()).hasSize(82_192 + 13_789 + 18_185 + 3_625);
    assertThat(WORDNET.relations()).hasSize(26);
    assertThat(WORDNET.triples().size()).isEqualTo(365_119);
    assertThat(WORDNET.relations()).allSatisfy(r -> assertThat(r.name()).isNotEqualTo(r.symbol()));
  }

  @Test
  void triplesAreSortedAndDistinct() {
    CooBlock triples = WORDNET.triples();
    for (int e = 1; e < triples.size(); e++) {
      int order = Long.compare(triples.coordinate(0, e - 1), triples.coordinate(0, e));
      for (int m = 1; m < 3 && order == 0; m++) {
        order = Long.compare(triples.coordinate(m, e - 1), triples.coordinate(m, e));
      }
      assertThat(order).as("entry %d", e).isNegative();
    }
  }

  @Test
  void anEntityIsWhatAPhysicalEntityIs() {
    Set<String> found = new HashSet<>();
    CooBlock triples = WORDNET.triples();
    for (int e = 0; e < triples.size(); e++) {
      if (WORDNET
          .synsets()
          .get((int) triples.coordinate(0, e))
          .label()
          .equals("physical entity (n)")) {
        found.add(
            WORDNET.relations().get((int) triples.coordinate(1, e)).name()
                + " "
                + WORDNET.synsets().get((int) triples.coordinate(2, e)).label());
      }
    }
    assertThat(found).contains("hypernym entity (n)", "hyponym matter (n)");
  }
}
