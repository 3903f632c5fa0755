package org.weft.storage;

import java.util.List;

class MtxContractTest extends TensorFileFormatContract {
  @Override
  String extension() {
    return ".mtx";
  }

  @Override
  List<long[]> shapes() {
    return List.of(new long[] {5, 7}, new long[] {1, 1L << 40});
  }
}
