package org.weft.compiler.llvm;

/** Stages of code generation, in order, as statistics name them. */
public enum Stage {
  /** Loading LLVM's library: once per process. */
  LOAD,
  /** Loop IR to LLVM IR, and its verification. */
  BUILD,
  OPTIMISE,
  /** LLVM IR to an object in memory. */
  EMIT,
  /** The linker's start and the wait for it; between them it runs beside the other stages. */
  LINK
}
