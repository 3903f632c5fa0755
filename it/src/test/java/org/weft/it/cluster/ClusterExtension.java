package org.weft.it.cluster;

import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives all suites of a JVM one {@link TestCluster}, started at first use. It ends with the session
 * of the launcher: Maven runs each class of a process by itself, in one session.
 *
 * <p>{@code -Dweft.it.cluster=process} (default) or {@code containers} says which. A failed test
 * prints the servers' logs.
 */
public final class ClusterExtension
    implements BeforeAllCallback, ParameterResolver, AfterTestExecutionCallback {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(ClusterExtension.class);

  @Override
  public void beforeAll(ExtensionContext context) {
    cluster(context);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == TestCluster.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return cluster(context);
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    boolean skipped =
        context
            .getExecutionException()
            .filter(e -> e instanceof org.opentest4j.TestAbortedException)
            .isPresent();
    if (context.getExecutionException().isPresent() && !skipped) {
      cluster(context).printLogs();
    }
  }

  private static TestCluster cluster(ExtensionContext context) {
    return context
        .getStore(ExtensionContext.StoreScope.LAUNCHER_SESSION, NAMESPACE)
        .getOrComputeIfAbsent("cluster", key -> startChosen(), TestCluster.class);
  }

  private static TestCluster startChosen() {
    String kind = System.getProperty("weft.it.cluster", "process");
    return switch (kind) {
      case "process" -> ProcessCluster.start();
      case "containers" -> ContainerCluster.startOrSkip();
      default ->
          throw new IllegalArgumentException(
              "weft.it.cluster: expected process or containers, found " + kind);
    };
  }
}
