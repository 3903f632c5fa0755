package org.weft.api;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.connector.catalog.DelegatingCatalogExtension;
import scala.runtime.AbstractFunction1;
import scala.runtime.AbstractFunction2;
import scala.runtime.BoxedUnit;

/**
 * What jars of table formats, such as Delta's and Iceberg's, do to a session: a parser of theirs.
 */
public final class Neighbours extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
  static int parsed;

  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    extensions.injectParser(
        new AbstractFunction2<SparkSession, ParserInterface, ParserInterface>() {
          @Override
          public ParserInterface apply(SparkSession session, ParserInterface parser) {
            return delegating(parser);
          }
        });
    return BoxedUnit.UNIT;
  }

  private static ParserInterface delegating(ParserInterface parser) {
    return (ParserInterface)
        Proxy.newProxyInstance(
            Neighbours.class.getClassLoader(),
            new Class<?>[] {ParserInterface.class},
            (proxy, method, arguments) -> {
              parsed++;
              try {
                return method.invoke(parser, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** And a catalog of theirs in the place of the session's. */
  public static final class Catalog extends DelegatingCatalogExtension {}
}
