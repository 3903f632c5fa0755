package org.weft.storage;

class MtxGzipContractTest extends TensorFileFormatContract {
  MtxGzipContractTest() {
    super(".mtx.gz", new long[] {5, 7}, new long[] {1, 1L << 40});
  }
}
