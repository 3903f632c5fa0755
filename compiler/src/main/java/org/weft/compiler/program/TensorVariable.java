package org.weft.compiler.program;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.lang.Program;
import org.weft.compiler.program.space.ModeIdentity;
import org.weft.compiler.program.space.ProgramTensor;
import org.weft.compiler.program.space.StoredAs;
import org.weft.tensor.TensorShape;

/**
 * A declared tensor and what it holds: nothing, a value, or a fill that waits for the sizes of
 * dynamic labels.
 */
final class TensorVariable {
  private final Program.TensorDeclaration declaration;
  private @Nullable ProgramTensor value;
  private @Nullable Number pendingFill;
  private List<Optional<ModeIdentity>> modes = List.of();
  private List<Optional<Program.LabelRange>> counted = List.of();

  TensorVariable(Program.TensorDeclaration declaration) {
    this.declaration = declaration;
  }

  Program.TensorDeclaration declaration() {
    return declaration;
  }

  StoredAs stored() {
    return StoredAs.of(declaration);
  }

  String name() {
    return declaration.name().name();
  }

  boolean isDense() {
    return declaration.parsedFormat().isDense();
  }

  @Nullable ProgramTensor value() {
    return value;
  }

  /** The shape of its value, if it has one. */
  @Nullable TensorShape shape() {
    return value == null ? null : value.shape();
  }

  /** What its modes stand for; empty if nothing is known. */
  List<Optional<ModeIdentity>> modes() {
    return modes;
  }

  /**
   * The range of the label that a mode without a declared size was made with: the label counts from
   * 0 in it.
   */
  Optional<Program.LabelRange> counted(int mode) {
    return mode < counted.size() ? counted.get(mode) : Optional.empty();
  }

  /** Notes the ranges of the labels of an assignment to the whole tensor. */
  void countBy(List<Optional<Program.LabelRange>> ranges) {
    counted = List.copyOf(ranges);
  }

  /** Replaces the value by one whose modes stand for nothing; the old one is freed. */
  void store(ProgramTensor next) {
    store(next, List.of());
  }

  /** Replaces the value; the old one is freed. */
  void store(ProgramTensor next, List<Optional<ModeIdentity>> standFor) {
    free();
    value = next;
    modes = standFor;
  }

  /** Forgets the value: every cell is {@code fill} once the shape is known. */
  void fillLater(Number fill) {
    free();
    pendingFill = fill;
  }

  @Nullable Number pendingFill() {
    return pendingFill;
  }

  /** Frees the value. */
  void free() {
    ProgramTensor old = value;
    value = null;
    pendingFill = null;
    modes = List.of();
    if (old != null) {
      old.close();
    }
  }
}
