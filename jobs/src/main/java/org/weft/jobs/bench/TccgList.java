package org.weft.jobs.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The 48 contractions of the TCCG benchmark (Springer and Bientinesi, arXiv 1607.00145), with the
 * sizes for doubles of its generator. The benchmark stores the first label's values next to each
 * other; the labels are reversed here, so that the same values are neighbours. The sizes of number
 * 12 and of numbers 20 to 30 are smaller, so that a call on one core takes less than 2 s: {@value
 * #SMALL} instead of 72, and 2056 or 2048 instead of 5136 or 5120.
 */
public final class TccgList {
  /** Multiplications from which on a contraction takes longer than 2 s on one core. */
  private static final double MOST_WORK = 1e11;

  private static final long LANES = 8;

  /** Result, left and right operand; sizes of the labels in the order of the alphabet. */
  private static final String CONTRACTIONS =
      """
      abc-bda-dc 312 312 24 312
      abc-dca-bd 312 24 296 312
      abcd-dbea-ec 72 72 24 72 72
      abcd-deca-be 72 24 72 72 72
      abcd-ebad-ce 72 72 24 72 72
      abcde-efbad-cf 48 32 24 32 48 32
      abcde-ecbfa-fd 48 32 32 24 48 48
      abcde-efcad-bf 48 24 32 32 48 32
      abcd-ea-ebcd 72 72 72 72 72
      abcd-eb-aecd 72 72 72 72 72
      abcd-ec-abed 72 72 72 72 72
      ab-ac-cb 5136 5120 5136
      ab-acd-dbc 312 296 296 312
      ab-cad-dcb 312 296 312 312
      abc-acd-db 312 296 296 312
      abc-ad-bdc 312 312 296 296
      abc-adc-bd 312 312 296 296
      abc-adc-db 312 296 296 312
      abc-adec-ebd 72 72 72 72 72
      abcd-aebf-dfce 72 72 72 72 72 72
      abcd-aebf-fdec 72 72 72 72 72 72
      abcd-aecf-bfde 72 72 72 72 72 72
      abcd-aecf-fbed 72 72 72 72 72 72
      abcd-aedf-bfce 72 72 72 72 72 72
      abcd-aedf-fbec 72 72 72 72 72 72
      abcd-aefb-fdce 72 72 72 72 72 72
      abcd-aefc-fbed 72 72 72 72 72 72
      abcd-eafb-fdec 72 72 72 72 72 72
      abcd-eafc-bfde 72 72 72 72 72 72
      abcd-eafd-fbec 72 72 72 72 72 72
      abcdef-dega-gfbc 24 16 16 24 16 16 24
      abcdef-degb-gfac 24 16 16 24 16 16 24
      abcdef-degc-gfab 24 16 16 24 16 16 24
      abcdef-dfga-gebc 24 16 16 24 16 16 24
      abcdef-dfgb-geac 24 16 16 24 16 16 24
      abcdef-dfgc-geab 24 16 16 24 16 16 24
      abcdef-efga-gdbc 24 16 16 16 24 16 24
      abcdef-efgb-gdac 24 16 16 16 24 16 24
      abcdef-efgc-gdab 24 16 16 16 24 16 24
      abcdef-gdab-efgc 24 16 16 16 24 16 24
      abcdef-gdac-efgb 24 16 16 16 24 16 24
      abcdef-gdbc-efga 24 16 16 16 24 16 24
      abcdef-geab-dfgc 24 16 16 24 16 16 24
      abcdef-geac-dfgb 24 16 16 24 16 16 24
      abcdef-gebc-dfga 24 16 16 24 16 16 24
      abcdef-gfab-degc 24 16 16 24 16 16 24
      abcdef-gfac-degb 24 16 16 24 16 16 24
      abcdef-gfbc-dega 24 16 16 24 16 16 24
      """;

  private TccgList() {}

  /**
   * The contractions in the benchmark's order, each with its number and name there.
   *
   * @param small whether those that would take longer than 2 s on one core are smaller, as
   *     multiples of 8: products of matrices have two fifths of their sizes, others two thirds
   */
  public static List<RandomStatement> statements(boolean small) {
    List<RandomStatement> statements = new ArrayList<>();
    for (String line : CONTRACTIONS.lines().toList()) {
      String[] words = line.split(" ");
      String[] tensors = words[0].split("-");
      String text = access("C", tensors[0]) + " = ";
      text += access("A", tensors[1]) + " * " + access("B", tensors[2]);
      Map<String, Long> sizes = new TreeMap<>();
      for (int label = 1; label < words.length; label++) {
        sizes.put(Character.toString('a' + label - 1), Long.parseLong(words[label]));
      }
      double work = sizes.values().stream().mapToDouble(size -> size).reduce(1, (a, b) -> a * b);
      if (small && work > MOST_WORK) {
        sizes.replaceAll((label, size) -> smaller(size, tensors[0].length() == 2 ? 5 : 3));
      }
      String name = (statements.size() + 1) + ": " + words[0];
      statements.add(RandomStatement.of(name, text, sizes, Map.of()));
    }
    return statements;
  }

  /** Two parts of {@code parts}, up to whole vectors. */
  private static long smaller(long size, long parts) {
    return (2 * size + parts * LANES - 1) / (parts * LANES) * LANES;
  }

  private static String access(String tensor, String labels) {
    String reversed = new StringBuilder(labels).reverse().toString();
    return tensor + "(" + String.join(",", reversed.split("")) + ")";
  }
}
