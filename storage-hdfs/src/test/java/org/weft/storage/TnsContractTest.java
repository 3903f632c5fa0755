package org.weft.storage;

import java.util.List;

class TnsContractTest extends TensorFileFormatContract {
  @Override
  String extension() {
    return ".tns";
  }

  @Override
  List<long[]> shapes() {
    return List.of(
        new long[] {5, 7, 3},
        new long[] {300},
        new long[] {1, 1L << 40},
        new long[] {2, 70_000, 3, 4, 5, 6, 7, 8});
  }
}
