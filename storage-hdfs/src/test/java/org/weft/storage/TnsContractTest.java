package org.weft.storage;

class TnsContractTest extends TensorFileFormatContract {
  TnsContractTest() {
    super(".tns");
  }
}
