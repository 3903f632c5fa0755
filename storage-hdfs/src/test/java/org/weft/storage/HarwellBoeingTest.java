package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorShape;

/** Harwell-Boeing files as Fortran programs write them. */
class HarwellBoeingTest {
  /** Fields that touch, D exponents, a right-hand side. */
  private static final String UNSYMMETRIC =
      """
      A title                                                                 KEY
                   6             1             1             2             1
      RUA                        3             4             5             0
      (5I2)           (5I3)           (3D12.4)            (3D12.4)
      F                          1             0
       1 3 3 4 6
        1  3  2  1  3
        1.0000D+00 -2.5000D-01.1250E+3     \s
       4.         -5.5-1
        1.0000D+00  1.0000D+00  1.0000D+00
      """;

  private static final String SYMMETRIC =
      """
      title                                                                   key
                   3             1             1             1
      rsa                        2             2             2             0
      (3I5)           (2I5)           (1P,2F8.3)
          1    3    3
          1    2
        1500.0    2500
      """;

  @TempDir Path folder;

  private InputPlan open(String name, String text) throws Exception {
    Path file = folder.resolve(name);
    Files.writeString(file, text);
    return TensorFiles.open(Entries.ACCESS, file.toString(), ReadOptions.defaults());
  }

  @Test
  void readsColumnsInFixedFields() throws Exception {
    InputPlan plan = open("a.rua", UNSYMMETRIC);
    assertThat(plan.header().shape()).contains(TensorShape.of(3, 4));
    assertThat(plan.header().records()).hasValue(5);
    assertThat(Entries.read(plan))
        .containsExactly("0 0 1.0", "2 0 -0.25", "1 2 125.0", "0 3 4.0", "2 3 -0.55");
  }

  @Test
  void mirrorsSymmetricEntriesAndScalesByTheFormat() throws Exception {
    assertThat(Entries.read(open("s.rb", SYMMETRIC)))
        .containsExactly("0 0 150.0", "1 0 0.25", "0 1 0.25");
    String skew = SYMMETRIC.replace("rsa", "pza");
    assertThat(Entries.read(open("p.pza", skew))).containsExactly("0 0 1.0", "1 0 1.0", "0 1 -1.0");
  }

  /**
   * SciPy says (3E25.16) and writes 24 characters, so that a sign would lie in the field before.
   */
  @Test
  void readsFieldsThatAreNarrowerThanTheirFormatSays() throws Exception {
    String narrow =
        """
        Default title                                                           0
                     3             1             1             1
        RUA                        4             2             4             0
        (26I3)          (40I2)          (3E25.16)
          1  4  5
         1 2 4 3
          1.0000000000000000E+00 -2.0000000000000000E+00 -3.0000000000000000E+00
         -4.0000000000000000E+00
        """;
    assertThat(Entries.read(open("narrow.hb", narrow)))
        .containsExactly("0 0 1.0", "1 0 -2.0", "3 0 -3.0", "2 1 -4.0");
  }

  @Test
  void faultsHaveALine() throws Exception {
    assertFault(UNSYMMETRIC.replace(" 1 3 3 4 6", " 1 3 2 4 6"), ":6: expected a column pointer");
    assertFault(UNSYMMETRIC.replace("  1  3  2", "  1  4  2"), ":7: expected a row number from 1");
    assertFault(UNSYMMETRIC.replace("-2.5000D-01", "-2.50x0D-01"), ":8: expected a number, found");
    assertFault(UNSYMMETRIC.replace("(5I3)", "(5X3)"), ":4: expected 3 formats");
    assertFault(UNSYMMETRIC.replace("RUA", "CUA"), ":3: expected an assembled matrix of real");
    assertFault(UNSYMMETRIC.substring(0, 330), "found the end of the file");
  }

  private void assertFault(String text, String says) throws Exception {
    assertThatThrownBy(() -> Entries.read(open("bad.rua", text)))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining(says);
  }

  @Test
  void randomDamageIsReadOrRefused() throws Exception {
    Random random = new Random(5);
    Path file = folder.resolve("fuzz.rua");
    for (int round = 0; round < 400; round++) {
      Files.write(file, Fuzz.bytes(random, UNSYMMETRIC.getBytes()));
      Fuzz.readOrWeftException(file.toString());
    }
  }

  @Test
  void isNotWritten() throws Exception {
    String uri = folder.resolve("w.rb").toString();
    assertThatThrownBy(
            () -> TensorFiles.create(Entries.ACCESS, uri, false, 2, WriteOptions.defaults()))
        .isInstanceOfSatisfying(
            WeftException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_OPERATION));
  }
}
