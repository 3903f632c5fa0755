package org.weft.storage;

import java.util.List;

/** A format whose tensors are one file each; it holds the names that it goes by. */
public abstract class SingleFileFormat implements TensorFileFormat {
  private final String name;
  private final boolean compressible;
  private final String extension;
  private final List<String> otherExtensions;

  protected SingleFileFormat(
      String name, boolean compressible, String extension, String... otherExtensions) {
    this.name = name;
    this.compressible = compressible;
    this.extension = extension;
    this.otherExtensions = List.of(otherExtensions);
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final boolean compressible() {
    return compressible;
  }

  @Override
  public final String extension() {
    return extension;
  }

  @Override
  public final List<String> otherExtensions() {
    return otherExtensions;
  }
}
