package org.weft.jobs.process;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.launcher.JavaModuleOptions;
import sun.misc.Unsafe;

/**
 * Gives a running process what {@code --add-opens} gives it at the start. A JVM with that option
 * makes its modules anew instead of taking them from its archive, which costs a small job up to a
 * twentieth of its time, so the launcher passes the option only where Spark is needed for certain.
 */
final class ClosedModules {
  private static final Pattern OPENED = Pattern.compile("--add-opens=([^/]+)/([^=]+)=ALL-UNNAMED");

  private final MethodHandles.Lookup trusted;

  /** Cost: a lookup in the JDK's own classes. */
  ClosedModules() throws ReflectiveOperationException {
    Field own = Unsafe.class.getDeclaredField("theUnsafe");
    own.setAccessible(true);
    Unsafe unsafe = (Unsafe) own.get(null);
    Field lookup = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
    trusted =
        (MethodHandles.Lookup)
            unsafe.getObject(unsafe.staticFieldBase(lookup), unsafe.staticFieldOffset(lookup));
  }

  /** The way to add a jar to the class path that the JVM itself uses for java.lang.instrument. */
  MethodHandle classPath() throws ReflectiveOperationException {
    ClassLoader loader = ClassLoader.getSystemClassLoader();
    return trusted
        .findVirtual(
            loader.getClass(),
            "appendToClassPathForInstrumentation",
            MethodType.methodType(void.class, String.class))
        .bindTo(loader);
  }

  /** Opens what Spark, which is on the class path by now, says that it uses. */
  void openForSpark() throws Throwable {
    MethodHandle open =
        trusted.findVirtual(
            Module.class,
            "implAddOpensToAllUnnamed",
            MethodType.methodType(void.class, String.class));
    for (String option : JavaModuleOptions.defaultModuleOptionArray()) {
      Matcher opened = OPENED.matcher(option);
      Module module =
          opened.matches() ? ModuleLayer.boot().findModule(opened.group(1)).orElse(null) : null;
      if (module != null && module.getPackages().contains(opened.group(2))) {
        open.invokeExact(module, opened.group(2));
      }
    }
  }
}
