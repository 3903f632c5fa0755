package org.weft.storage;

class WtbContractTest extends TensorFileFormatContract {
  WtbContractTest() {
    super(".wtb");
  }
}
