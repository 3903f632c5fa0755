package org.weft.compiler;

import java.util.List;
import java.util.Map;
import org.weft.compiler.llvm.CodeGenerator;
import org.weft.compiler.loop.LoopFunction;
import org.weft.compiler.loop.LoopPrinter;

/** A kernel at every stage of the pipeline, as text. LLVM runs only for the stages that need it. */
public final class Explanation {
  private final LoopFunction function;
  private final Map<String, String> stages;
  private final CodeGenerator generator;

  Explanation(LoopFunction function, Map<String, String> stages, CodeGenerator generator) {
    this.function = function;
    this.stages = stages;
    this.generator = generator;
  }

  /** The typed tensor algebra. */
  public String algebra() {
    return stage("algebra");
  }

  /** The iteration graph and the loop order taken from it. */
  public String iterationGraph() {
    return stage("iterationGraph");
  }

  /** One merge lattice per index variable. */
  public String lattices() {
    return stage("lattices");
  }

  /** The loops as C-like text. */
  public String loops() {
    return LoopPrinter.print(function);
  }

  /** LLVM IR as generated. */
  public String llvmIr() {
    return generator.llvmIr(List.of(function), false);
  }

  /** LLVM IR after LLVM's optimiser. */
  public String optimisedLlvmIr() {
    return generator.llvmIr(List.of(function), true);
  }

  /** Assembly, AT&amp;T syntax. */
  public String assembly() {
    return generator.assembly(List.of(function));
  }

  private String stage(String name) {
    String text = stages.get(name);
    if (text == null) {
      throw new IllegalStateException("lowering gives no text for stage " + name + ": " + stages);
    }
    return text;
  }
}
