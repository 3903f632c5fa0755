package org.weft.storage;

import java.util.List;

class NpyContractTest extends TensorFileFormatContract {
  @Override
  String extension() {
    return ".npy";
  }

  @Override
  List<long[]> shapes() {
    return List.of(new long[] {5, 7}, new long[] {9}, new long[] {2, 3, 4});
  }

  @Override
  boolean dense() {
    return true;
  }
}
