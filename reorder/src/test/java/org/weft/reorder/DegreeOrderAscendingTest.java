package org.weft.reorder;

class DegreeOrderAscendingTest extends ReordererContract {
  @Override
  Reorderer reorderer() {
    return Reorderers.named("degree:ascending");
  }
}
