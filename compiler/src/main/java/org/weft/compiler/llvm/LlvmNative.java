package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.LLVMInitializeX86AsmPrinter;
import static org.bytedeco.llvm.global.LLVM.LLVMInitializeX86Target;
import static org.bytedeco.llvm.global.LLVM.LLVMInitializeX86TargetInfo;
import static org.bytedeco.llvm.global.LLVM.LLVMInitializeX86TargetMC;

import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.llvm.global.LLVM;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Loads LLVM's shared library once: about 1 s the first time on a machine, 0.13 s after. */
final class LlvmNative {
  private static boolean loaded;

  private LlvmNative() {}

  /**
   * Makes LLVM's functions callable.
   *
   * @throws WeftException UNSUPPORTED_PLATFORM where the bundled LLVM does not load
   */
  static synchronized void load() {
    if (loaded) {
      return;
    }
    try {
      Loader.load(LLVM.class);
    } catch (LinkageError e) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_PLATFORM,
          "expected to load the bundled LLVM (linux-x86_64, glibc), found: "
              + e.getMessage()
              + "; run the driver on such a machine with the compiler's jars",
          e);
    }
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    loaded = true;
  }

  static synchronized boolean isLoaded() {
    return loaded;
  }

  /** The text of a message that LLVM allocated, which is freed. */
  static String takeMessage(BytePointer message) {
    if (message.isNull()) {
      return "no message";
    }
    String text = message.getString();
    LLVM.LLVMDisposeMessage(message);
    return text;
  }
}
