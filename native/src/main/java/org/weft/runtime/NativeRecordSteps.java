package org.weft.runtime;

import com.google.auto.service.AutoService;
import org.weft.tensor.RecordSteps;

/** Packing in {@code libweft.so}. */
@AutoService(RecordSteps.class)
public final class NativeRecordSteps implements RecordSteps {
  @Override
  public void take(long arguments) {
    NativeRuntime.require();
    NativeRuntime.pack(arguments);
  }
}
