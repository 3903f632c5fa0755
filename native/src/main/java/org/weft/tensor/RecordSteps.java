package org.weft.tensor;

/**
 * The steps of packing, which the C++ runtime takes: see {@code packing.h}. Implemented by the
 * layer above, which loads the runtime, and found by {@code ServiceLoader}.
 */
public interface RecordSteps {
  /**
   * Takes the step that an argument block describes.
   *
   * @throws org.weft.error.WeftException {@code UNSUPPORTED_PLATFORM} if there is no runtime
   */
  void take(long arguments);
}
