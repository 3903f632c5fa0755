package org.weft.compiler.lattice;

/**
 * One level that takes part in a merge.
 *
 * @param id identifies the operand within a lattice
 * @param name for people
 * @param full the level has every coordinate
 * @param locate the level offers random access
 */
public record LatticeOperand(int id, String name, boolean full, boolean locate) {
  @Override
  public String toString() {
    return name;
  }
}
