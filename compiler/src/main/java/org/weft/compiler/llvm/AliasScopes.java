package org.weft.compiler.llvm;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bytedeco.llvm.LLVM.LLVMMetadataRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Stmt;

/**
 * Tells LLVM that buffers do not overlap: one scope for all inputs, which nobody writes, one per
 * writable buffer, and one for the argument block. Every access is in its scope (through a view, in
 * two) and outside all others, so that loops vectorise without run-time checks. Loads of inputs are
 * also invariant.
 */
final class AliasScopes {
  private static final String INPUTS = "<inputs>";
  private static final String ARGUMENTS = "<arguments>";

  private final ModuleContext module;
  private final Map<String, LLVMMetadataRef> own = new LinkedHashMap<>();
  private final Map<String, LLVMMetadataRef> others = new LinkedHashMap<>();
  private final LLVMMetadataRef empty;

  AliasScopes(ModuleContext module, String function, List<Buffer> buffers, List<Stmt.View> views) {
    this.module = module;
    this.empty = module.node();
    LLVMMetadataRef domain = module.selfNode(module.text(function));
    Map<String, LLVMMetadataRef> scopes = new LinkedHashMap<>();
    scopes.put(INPUTS, module.selfNode(domain, module.text(INPUTS)));
    scopes.put(ARGUMENTS, module.selfNode(domain, module.text(ARGUMENTS)));
    for (Buffer buffer : buffers) {
      if (buffer.writable()) {
        scopes.put(buffer.name(), module.selfNode(domain, module.text(buffer.name())));
      }
    }
    scopes.keySet().forEach(name -> add(name, Set.of(name), scopes));
    for (Stmt.View view : views) {
      add(view.view().name(), Set.of(view.shown().name()), scopes);
    }
  }

  /** Accesses by {@code name} are in the scopes {@code inside}, and outside all others. */
  private void add(String name, Set<String> inside, Map<String, LLVMMetadataRef> scopes) {
    List<LLVMMetadataRef> in = new ArrayList<>();
    List<LLVMMetadataRef> rest = new ArrayList<>();
    scopes.forEach((each, scope) -> (inside.contains(each) ? in : rest).add(scope));
    own.put(name, module.node(in.toArray(new LLVMMetadataRef[0])));
    others.put(name, module.node(rest.toArray(new LLVMMetadataRef[0])));
  }

  /** Marks a load or store of an element. */
  LLVMValueRef mark(LLVMValueRef access, Buffer buffer, boolean load) {
    if (!buffer.writable() && load) {
      module.attach(access, "invariant.load", empty);
    }
    return mark(access, buffer.writable() ? buffer.name() : INPUTS);
  }

  /** Marks a load or store of the argument block. */
  LLVMValueRef markArgument(LLVMValueRef access) {
    return mark(access, ARGUMENTS);
  }

  private LLVMValueRef mark(LLVMValueRef access, String name) {
    module.attach(access, "alias.scope", scopesOf(own, name));
    module.attach(access, "noalias", scopesOf(others, name));
    return access;
  }

  private static LLVMMetadataRef scopesOf(Map<String, LLVMMetadataRef> map, String name) {
    LLVMMetadataRef scopes = map.get(name);
    if (scopes == null) {
      throw new IllegalStateException("no alias scope for " + name);
    }
    return scopes;
  }
}
