package org.weft.compiler.program.space;

import java.util.List;
import java.util.Optional;
import org.weft.tensor.TensorShape;

/**
 * Coordinates that modes of inputs have in common, because the program compares them. Whoever knows
 * what coordinates stand for decides.
 */
public interface CommonModes {
  /** Inputs have the coordinates of their files. */
  CommonModes NONE = (read, shape, modes) -> Optional.empty();

  /**
   * A mode of an input.
   *
   * @param read the input: its number among the reads of the program, in the order of the text
   * @param uri of the file
   */
  record InputMode(int read, String uri, int mode) {}

  /**
   * How the entries of an input get to common coordinates.
   *
   * @param shape at these coordinates
   * @param places for each mode the new coordinate of each old one; no numbers for a mode whose
   *     coordinates stay
   * @param modes what the coordinates stand for
   */
  @SuppressWarnings("ArrayRecordComponent") // compared with nothing
  record Places(TensorShape shape, long[][] places, List<Optional<ModeIdentity>> modes) {
    /** Whether the entries stay where they are. */
    public boolean stay() {
      return java.util.Arrays.stream(places).allMatch(of -> of.length == 0);
    }
  }

  /**
   * Of what was read; empty if it has the common coordinates already.
   *
   * @param read its number, as above
   * @param shape of the input
   * @param modes what its modes stand for, or empty if nothing is known
   */
  Optional<Places> of(int read, TensorShape shape, List<Optional<ModeIdentity>> modes);
}
