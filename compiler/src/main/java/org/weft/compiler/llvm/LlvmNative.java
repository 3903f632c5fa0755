package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.LLVMGetVersion;
import static org.bytedeco.llvm.global.LLVM.LLVMInitializeX86AsmParser;
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
  /**
   * JavaCPP's limit of a process's memory, without which it would be four times the heap: tensors
   * off the heap exceed that, and then no kernel could be compiled.
   */
  private static final String MEMORY_LIMIT = "org.bytedeco.javacpp.maxPhysicalBytes";

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
    if (System.getProperty(MEMORY_LIMIT) == null) {
      System.setProperty(MEMORY_LIMIT, "0"); // none
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
    checkVersion();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    loaded = true;
  }

  private static void checkVersion() {
    int[] major = new int[1];
    int[] minor = new int[1];
    int[] patch = new int[1];
    LLVMGetVersion(major, minor, patch);
    String found = major[0] + "." + minor[0] + "." + patch[0];
    if (!found.equals(CodeGenerator.LLVM_VERSION)) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_PLATFORM,
          "expected LLVM "
              + CodeGenerator.LLVM_VERSION
              + ", found "
              + found
              + " on the class path; use the llvm jar that Weft is built with");
    }
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
