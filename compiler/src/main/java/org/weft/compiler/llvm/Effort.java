package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

/** How much LLVM does for the code of a module. */
enum Effort {
  /** For loops over entries: all that the target asks for. */
  FULL {
    @Override
    String passes(Target target) {
      return target.optimisation() == 3 ? KERNELS : "default<O" + target.optimisation() + ">";
    }

    @Override
    int codeLevel(Target target) {
      return target.optimisation() == 3 ? LLVMCodeGenLevelAggressive : target.optimisation();
    }
  },

  /** For tiles of vectors: a third of the optimiser's time, for code as fast. */
  TILES {
    @Override
    String passes(Target target) {
      return target.optimisation() == 3 ? STRAIGHT : FULL.passes(target);
    }

    @Override
    int codeLevel(Target target) {
      return FULL.codeLevel(target);
    }
  },

  /** For what runs a few times per call: a fifth of the time, and slower code. */
  QUICK {
    @Override
    String passes(Target target) {
      return "function(sroa),strip-dead-prototypes";
    }

    @Override
    int codeLevel(Target target) {
      return LLVMCodeGenLevelNone;
    }
  };

  /**
   * What of {@code default<O3>} makes a difference to kernels, once each: half its time. Nothing is
   * left to inline, vector loops are straight-line code already or simple, and merges of operands
   * gain from threaded jumps. Where an unrolled loop was, blocks are merged before what does not
   * change is taken out of the loop around: rows of SDDMM's left factor are then loaded once.
   */
  private static final String KERNELS =
      "function(sroa,early-cse<memssa>,jump-threading,simplifycfg,instcombine<no-verify-fixpoint>,"
          + "loop-mssa(loop-rotate,licm),loop(indvars),gvn,dse,jump-threading,"
          + "loop-vectorize,slp-vectorizer,loop-unroll<O3>,"
          + "instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),"
          + "simplifycfg<no-keep-loops;hoist-common-insts;sink-common-insts;"
          + "speculate-unpredictables>),strip-dead-prototypes";

  /** Puts tiles into registers, and takes what does not change with a term out of the loop. */
  private static final String STRAIGHT =
      "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
          + "loop-mssa(loop-rotate,licm),loop-unroll<O3>,early-cse,"
          + "instcombine<no-verify-fixpoint>,simplifycfg),strip-dead-prototypes";

  /** The optimiser's passes. */
  abstract String passes(Target target);

  /** LLVM's level of code generation. */
  abstract int codeLevel(Target target);
}
