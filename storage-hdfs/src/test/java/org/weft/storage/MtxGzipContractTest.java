package org.weft.storage;

import java.util.List;

class MtxGzipContractTest extends TensorFileFormatContract {
  @Override
  String extension() {
    return ".mtx.gz";
  }

  @Override
  List<long[]> shapes() {
    return List.of(new long[] {5, 7}, new long[] {1, 1L << 40});
  }
}
