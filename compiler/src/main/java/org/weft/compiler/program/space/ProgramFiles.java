package org.weft.compiler.program.space;

import java.io.BufferedReader;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * The files of a program, by whoever knows file systems. All methods throw {@link
 * org.weft.error.WeftException} that names the file.
 */
public interface ProgramFiles {
  /**
   * The entries of the tensor file {@code uri}, whose extension names its format.
   *
   * @param type of the values of the tensor that is read
   */
  Entries read(String uri, ValueType type);

  /**
   * The lines of the text file {@code uri}, decompressed if its name says so; closed by the caller.
   */
  BufferedReader openText(String uri);

  /**
   * Writes {@code tensor}, which is borrowed, to {@code uri}, whose extension names its format.
   *
   * @param modes what each mode stands for, or empty if nothing is known
   */
  void write(String uri, TensorStorage tensor, List<Optional<ModeIdentity>> modes);

  /**
   * Prints the entries of {@code tensor}, which is borrowed, if its modes have labels.
   *
   * @param output takes the text, in pieces
   * @return whether its modes have labels
   */
  default boolean print(
      TensorStorage tensor, List<Optional<ModeIdentity>> modes, Consumer<String> output) {
    return false;
  }

  /**
   * Coordinates for modes that a program compares; called before it reads anything.
   *
   * @param compared each a list of modes, in the order in which the program reads them
   */
  default CommonModes common(List<List<CommonModes.InputMode>> compared) {
    return CommonModes.NONE;
  }

  /** Refuses now what {@link #write} could not publish later. */
  void checkOutput(String uri);

  /**
   * What a file holds.
   *
   * @param declaresShape whether the file states the shape; otherwise the largest coordinates give
   *     it
   * @param blocks 0-based entries in any order; coordinates may repeat
   * @param modes what each mode stands for, or empty if nothing is known
   */
  record Entries(
      TensorShape shape,
      boolean declaresShape,
      List<CooBlock> blocks,
      List<Optional<ModeIdentity>> modes)
      implements TensorSpace.Input {
    public Entries {
      blocks = List.copyOf(blocks);
      modes = List.copyOf(modes);
    }

    /** Of a file that states its shape and says nothing of its modes. */
    public Entries(TensorShape shape, List<CooBlock> blocks) {
      this(shape, true, blocks, List.of());
    }

    @Override
    public Entries within(TensorShape larger) {
      return new Entries(larger, true, blocks, modes);
    }

    @Override
    public Entries at(CommonModes.Places common) {
      List<CooBlock> moved =
          common.stay()
              ? blocks
              : blocks.stream().map(block -> block.moved(common.places())).toList();
      return new Entries(common.shape(), declaresShape, moved, common.modes());
    }

    /** Number of entries, repeated ones included. */
    public long count() {
      return blocks.stream().mapToLong(CooBlock::size).sum();
    }

    /** The entries of {@code part}, if these are the entries of a matrix. */
    public Entries part(Diagonals part) {
      return part.equals(Diagonals.ALL) || shape.order() != 2
          ? this
          : new Entries(shape, declaresShape, blocks.stream().map(part::of).toList(), modes);
    }
  }
}
