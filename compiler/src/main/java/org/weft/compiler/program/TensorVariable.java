package org.weft.compiler.program;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.lang.Program;
import org.weft.tensor.TensorStorage;

/**
 * A declared tensor and what it holds: nothing, a storage, or a fill that waits for the sizes of
 * dynamic labels.
 */
final class TensorVariable {
  private final Program.TensorDeclaration declaration;
  private @Nullable TensorStorage storage;
  private @Nullable Double pendingFill;
  private List<Optional<ModeIdentity>> modes = List.of();

  TensorVariable(Program.TensorDeclaration declaration) {
    this.declaration = declaration;
  }

  Program.TensorDeclaration declaration() {
    return declaration;
  }

  String name() {
    return declaration.name().name();
  }

  boolean isDense() {
    return declaration.parsedFormat().isDense();
  }

  @Nullable TensorStorage storage() {
    return storage;
  }

  /** What its modes stand for; empty if nothing is known. */
  List<Optional<ModeIdentity>> modes() {
    return modes;
  }

  /** Replaces the storage by one whose modes stand for nothing; the old one is freed. */
  void store(TensorStorage value) {
    store(value, List.of());
  }

  /** Replaces the storage; the old one is freed. */
  void store(TensorStorage value, List<Optional<ModeIdentity>> standFor) {
    TensorStorage old = storage;
    storage = value;
    modes = standFor;
    pendingFill = null;
    if (old != null) {
      old.close();
    }
  }

  /** Forgets the storage: every cell is {@code value} once the shape is known. */
  void fillLater(double value) {
    if (storage != null) {
      storage.close();
      storage = null;
    }
    modes = List.of();
    pendingFill = value;
  }

  @Nullable Double pendingFill() {
    return pendingFill;
  }
}
