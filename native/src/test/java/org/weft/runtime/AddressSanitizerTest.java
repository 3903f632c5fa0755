package org.weft.runtime;

/** Accesses outside of arrays, and undefined behaviour. */
class AddressSanitizerTest extends SanitizedCode {
  AddressSanitizerTest() {
    super("address,undefined");
  }
}
