package org.weft.storage;

class TnsGzipContractTest extends TensorFileFormatContract {
  TnsGzipContractTest() {
    super(".tns.gz");
  }
}
