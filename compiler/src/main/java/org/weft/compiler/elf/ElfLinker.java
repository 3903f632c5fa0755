package org.weft.compiler.elf;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Links objects of kernels to a shared library without a process and without files, which takes
 * less than a millisecond; to start {@code lld} takes more than ten.
 */
public final class ElfLinker {
  /**
   * What a library may import: functions of libc without versions that differ. A function of libm
   * has several; {@code lld} reads from libm which one to ask for.
   */
  private static final Set<String> IMPORTS = Set.of("memcpy", "memmove", "memset");

  private final List<ElfObject> objects = new ArrayList<>();

  /** Symbols that other objects or the loader see, and the objects that define them. */
  private final Map<String, Definition> globals = new LinkedHashMap<>();

  /**
   * @param object its number
   */
  record Definition(int object, ElfObject.Symbol symbol) {}

  private ElfLinker() {}

  /**
   * The library of {@code objects}, which exports their visible symbols. The same objects give the
   * same bytes.
   *
   * @param asNeeded an object that is part of the library if others refer to its symbols
   * @return empty if the objects have more than code and constants, or refer to more than each
   *     other and a few functions of libc
   */
  public static Optional<byte[]> link(List<byte[]> objects, byte[] asNeeded) {
    ElfLinker linker = new ElfLinker();
    for (byte[] object : objects) {
      if (!linker.add(object)) {
        return Optional.empty();
      }
    }
    if (!linker.undefined().isEmpty() && !linker.add(asNeeded)) {
      return Optional.empty();
    }
    List<String> imports = linker.undefined();
    return IMPORTS.containsAll(imports)
        ? Optional.of(new ElfLibrary(linker.objects, linker.globals, imports).bytes())
        : Optional.empty();
  }

  /** Whether the object is understood, and defines nothing that another one does. */
  private boolean add(byte[] bytes) {
    Optional<ElfObject> read = ElfObject.read(bytes);
    if (read.isEmpty()) {
      return false;
    }
    ElfObject object = read.get();
    for (ElfObject.Symbol symbol : object.symbols()) {
      if (symbol.global() && symbol.isDefined()) {
        Definition definition = new Definition(objects.size(), symbol);
        if (globals.put(symbol.name(), definition) != null) {
          return false;
        }
      }
    }
    objects.add(object);
    return true;
  }

  /** Names that sections refer to and no object defines, in the order of the objects. */
  private List<String> undefined() {
    Set<String> names = new LinkedHashSet<>();
    for (ElfObject object : objects) {
      for (ElfObject.Section section : object.sections()) {
        for (ElfObject.Reference reference : section.references()) {
          ElfObject.Symbol symbol = object.symbols().get(reference.symbol());
          if (!symbol.isDefined() && !globals.containsKey(symbol.name())) {
            names.add(symbol.name());
          }
        }
      }
    }
    return List.copyOf(names);
  }
}
