package org.weft.runtime;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import sun.misc.Unsafe;

/**
 * Gives the JVM, while it runs, what options give it at the start: jars on the class path and open
 * packages. A JVM that begins with {@code --add-opens} makes its modules anew instead of taking
 * them from its archive, which a small job notices.
 */
public final class RunningJvm {
  private final ClassLoader loader = ClassLoader.getSystemClassLoader();
  private final MethodHandle append;
  private final MethodHandle open;

  /**
   * Finds the JDK's own methods; a later call costs no search.
   *
   * @throws ReflectiveOperationException in a JDK that has none of these names
   */
  public RunningJvm() throws ReflectiveOperationException {
    Field own = Unsafe.class.getDeclaredField("theUnsafe");
    own.setAccessible(true);
    Unsafe unsafe = (Unsafe) own.get(null);
    Field field = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
    MethodHandles.Lookup trusted =
        (MethodHandles.Lookup)
            unsafe.getObject(unsafe.staticFieldBase(field), unsafe.staticFieldOffset(field));
    MethodType type = MethodType.methodType(void.class, String.class);
    // What the JVM itself calls for java.lang.instrument, without the time that agents take.
    append = trusted.findVirtual(loader.getClass(), "appendToClassPathForInstrumentation", type);
    open = trusted.findVirtual(Module.class, "implAddOpensToAllUnnamed", type);
  }

  /** Adds a jar or a folder at the end of the class path. Cheap: a jar is not opened. */
  public void addJar(String jar) {
    call(append, loader, jar);
  }

  /** Opens a package to all code on the class path, if this JDK has the module and the package. */
  public void open(String module, String name) {
    ModuleLayer.boot()
        .findModule(module)
        .filter(found -> found.getPackages().contains(name))
        .ifPresent(found -> call(open, found, name));
  }

  private static void call(MethodHandle method, Object of, String argument) {
    try {
      method.invoke(of, argument);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e); // neither method declares an exception
    }
  }
}
