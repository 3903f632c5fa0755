package org.weft.storage.container;

import org.jspecify.annotations.Nullable;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.ReusedMemory;
import org.weft.tensor.EntrySource;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * The entries of a container in stored coordinates. Each part is read when it is taken, into memory
 * of one that was taken before.
 */
final class PartSource implements EntrySource {
  private final Container container;
  private final ReusedMemory memory = new ReusedMemory(MemorySource.system());
  private int next;

  PartSource(Container container) {
    this.container = container;
  }

  @Override
  public long entries() {
    return container.manifest().parts().stream().mapToLong(PartSource::entries).sum();
  }

  /** What a part stores: zeros that fill a last level up are entries, too. */
  private static long entries(Manifest.Part part) {
    return part.values().length();
  }

  @Override
  public boolean hasLongValues() {
    return container.valueType() == ValueType.LONG && container.partCount() > 0;
  }

  @Override
  public @Nullable Piece poll() {
    if (next == container.partCount()) {
      return null;
    }
    int part = next++;
    return Piece.load(entries(container.manifest().parts().get(part)), () -> load(part));
  }

  private TensorStorage load(int part) {
    TensorFormat format =
        container.format().narrowedFor(container.shape(), container.entries(part));
    return container.load(
        MemoryScope.root("part of " + container.uri(), memory), part, format, container.shape(), 0);
  }

  @Override
  public void end() {
    memory.close();
  }

  @Override
  public EntrySource again() {
    return new PartSource(container);
  }
}
