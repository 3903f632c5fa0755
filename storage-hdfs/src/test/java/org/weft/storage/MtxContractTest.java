package org.weft.storage;

class MtxContractTest extends TensorFileFormatContract {
  MtxContractTest() {
    super(".mtx", new long[] {5, 7}, new long[] {1, 1L << 40});
  }
}
