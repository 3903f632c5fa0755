package org.weft.compiler.program.space;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.weft.memory.MemoryScope;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * Where the tensors of a program lie and its statements are evaluated: the memory of this process
 * ({@code StoredSpace}), or parts on the executors of a cluster. A space takes back only tensors
 * and inputs that it has made. Failures are {@link org.weft.error.WeftException}s.
 */
public interface TensorSpace {
  /** What a program has read and not stored yet. */
  interface Input {
    TensorShape shape();

    /** Whether the file states its shape; otherwise it is that of the largest coordinates. */
    boolean declaresShape();

    /** The same entries in a shape that is nowhere smaller. */
    Input within(TensorShape shape);

    /** The same entries at coordinates that other inputs have, too. */
    Input at(CommonModes.Places common);

    /** What each mode stands for, or empty if nothing is known. */
    List<Optional<ModeIdentity>> modes();
  }

  /**
   * The entries of the tensor file {@code uri}; of a matrix those on the diagonals of {@code part}.
   */
  Input read(String uri, Diagonals part, StoredAs stored);

  /** Entries that this process has. */
  Input entries(ProgramFiles.Entries entries);

  /** Stores what was read. */
  ProgramTensor store(Input input, StoredAs stored);

  /** Every cell {@code value}; none stored if that is 0 and the format is sparse. */
  ProgramTensor filled(TensorShape shape, StoredAs stored, Number value);

  /** Every cell a value in [0, 1), another series each time. */
  ProgramTensor random(TensorShape shape, StoredAs stored);

  /** Partitions that a tensor may lie in. */
  int partitions();

  /** Bytes that there are for another tensor. */
  long availableBytes();

  /** The result of a statement. */
  ProgramTensor evaluate(ProgramStatement statement);

  /**
   * Entries that {@code tensor} stores, if products of statements are to be shared by what they
   * cost in this space; empty where they are not.
   */
  default OptionalLong sharedEntries(ProgramTensor tensor) {
    return OptionalLong.empty();
  }

  /** The value of a tensor without modes: a {@code Long} if it holds integers. */
  Number scalar(ProgramTensor tensor);

  /** The cells of {@code whole} that {@code ranges}, one for each mode, address. */
  ProgramTensor part(ProgramTensor whole, StoredAs stored, List<Optional<CoordinateRange>> ranges);

  /** {@code whole} with the cells that {@code ranges} address replaced by {@code part}. */
  ProgramTensor replaced(
      ProgramTensor whole,
      ProgramTensor part,
      StoredAs stored,
      List<Optional<CoordinateRange>> ranges);

  /**
   * The storage of {@code tensor}, in this process: its own, or one in {@code scope}. In a format
   * that {@linkplain org.weft.tensor.TensorFormat#pads pads} it is that of the nonzeros, wherever
   * zeros lie in the tensor's own.
   */
  TensorStorage storage(MemoryScope scope, ProgramTensor tensor, StoredAs stored);

  /**
   * Writes {@code tensor} to {@code uri}, whose extension names its format.
   *
   * @param modes what each mode stands for, or empty if nothing is known
   */
  void write(String uri, ProgramTensor tensor, List<Optional<ModeIdentity>> modes);
}
