package org.weft.compiler.level;

import java.util.EnumSet;
import java.util.Set;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.level.LevelCapability;
import org.weft.tensor.level.LevelFormat;
import org.weft.tensor.level.LevelPacking;
import org.weft.tensor.level.LevelProperties;
import org.weft.tensor.level.LevelView;

/**
 * Half of a level that lowering sees as two, because another tensor of the statement is blocked
 * along its mode: the block numbers of its coordinates, or their offsets in the blocks. Nothing is
 * stored this way; {@link SplitEmitter} computes both from the stored level.
 *
 * <p>A level with random access becomes two of them. One that is iterated by position becomes a
 * non-unique level, which repeats a block number for every coordinate in the block, and a
 * branchless one below it, as COO stores two modes.
 *
 * @param of the stored level
 * @param size coordinates in a block
 * @param offset whether this is the half with the offsets
 */
public record SplitLevel(LevelSpec of, long size, boolean offset) implements LevelFormat {

  /**
   * Whether a level can be seen as two: it computes its positions, or keeps its coordinates and has
   * one at every position.
   */
  public static boolean supports(LevelSpec level) {
    Set<LevelCapability> capabilities = level.format().capabilities();
    boolean random = level.properties().full() && capabilities.contains(LevelCapability.LOCATE);
    boolean positions =
        capabilities.contains(LevelCapability.POSITION_ITERATION)
            && !capabilities.contains(LevelCapability.LOCATE)
            && level.format().hasCrd()
            && level.properties().compact();
    return random || positions;
  }

  /** The half as a level: widths are those of the stored level. */
  public LevelSpec spec() {
    return new LevelSpec(this, properties(), of.posWidth(), of.crdWidth());
  }

  @Override
  public String symbol() {
    return of.format().symbol() + (offset ? "%" : "/") + size;
  }

  @Override
  public String description() {
    return of.format().description() + (offset ? ", offset in a block" : ", block number");
  }

  @Override
  public Set<LevelCapability> capabilities() {
    return EnumSet.copyOf(of.format().capabilities());
  }

  @Override
  public LevelProperties properties() {
    LevelProperties p = of.properties();
    boolean branchless = offset ? !p.full() : p.branchless();
    boolean unique = p.unique() && (offset || p.full());
    return new LevelProperties(p.full(), p.ordered(), unique, branchless, p.compact());
  }

  @Override
  public boolean isSizedByShape() {
    return of.format().isSizedByShape();
  }

  @Override
  public boolean hasPos() {
    return of.format().hasPos();
  }

  @Override
  public boolean hasCrd() {
    return of.format().hasCrd();
  }

  @Override
  public void pack(LevelPacking packing) {
    throw notStored();
  }

  @Override
  public long firstChild(LevelView level, long parent) {
    throw notStored();
  }

  @Override
  public long endChild(LevelView level, long parent) {
    throw notStored();
  }

  @Override
  public long coordinate(LevelView level, long parent, long position) {
    throw notStored();
  }

  private IllegalStateException notStored() {
    return new IllegalStateException("no tensor is stored in a level of format " + symbol());
  }
}
