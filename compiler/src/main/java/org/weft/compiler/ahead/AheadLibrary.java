package org.weft.compiler.ahead;

/**
 * What {@link AheadCompiler} makes.
 *
 * @param library the bytes of the shared library
 * @param header C declarations of its functions
 */
@SuppressWarnings("ArrayRecordComponent") // handed out once, never compared
public record AheadLibrary(byte[] library, String header, Interface described) {
  /**
   * The Python module.
   *
   * @param file name of the library, relative to the folder of the module
   */
  public String python(String file) {
    return PythonModule.of(described, file);
  }
}
