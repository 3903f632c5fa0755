package org.weft.reorder;

class IdentityOrderTest extends ReordererContract {
  @Override
  Reorderer reorderer() {
    return Reorderers.named("identity");
  }
}
