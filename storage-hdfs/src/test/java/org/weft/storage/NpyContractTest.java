package org.weft.storage;

class NpyContractTest extends TensorFileFormatContract {
  NpyContractTest() {
    super(".npy", new long[] {5, 7}, new long[] {9}, new long[] {2, 3, 4});
  }

  @Override
  boolean dense() {
    return true;
  }
}
