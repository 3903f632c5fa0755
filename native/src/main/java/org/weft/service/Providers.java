package org.weft.service;

import java.io.IOException;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.ServiceLoader;

/**
 * The implementations of an interface that {@link ServiceLoader} finds on the class path. It opens
 * each jar there, which takes longer than a small job. A process whose class path is known to hold
 * Weft and its libraries alone looks no further than the first jar that lists implementations: no
 * two jars of Weft list those of one interface.
 */
public final class Providers {
  private static volatile boolean alone;

  private Providers() {}

  /** Says that the class path of this process holds Weft and its libraries alone. */
  public static void setWeftAlone() {
    alone = true;
  }

  /** Whether the class path of this process is known to hold Weft and its libraries alone. */
  public static boolean areWeftsAlone() {
    return alone;
  }

  /** One of each implementation, in no order. */
  public static <T> List<T> of(Class<T> service) {
    ClassLoader all = service.getClassLoader();
    return ServiceLoader.load(service, alone ? new FirstJar(all) : all).stream()
        .map(ServiceLoader.Provider::get)
        .toList();
  }

  /** Has of each resource the one that is found first. */
  private static final class FirstJar extends ClassLoader {
    FirstJar(ClassLoader all) {
      super(all);
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
      URL first = getResource(name);
      return Collections.enumeration(first == null ? List.of() : List.of(first));
    }
  }
}
