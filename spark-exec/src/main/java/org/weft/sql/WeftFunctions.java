package org.weft.sql;

import com.google.auto.service.AutoService;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.text.Counts;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Table functions of every session that starts with this jar: {@code weft_eval('y(i) = A(i,j) *
 * x(j)', 'A', 'a.weft', 'x', 'weights')} and {@code weft_cp('sales', 16, 'modes',
 * 'user,item,week')}, {@code weft_complete} and {@code weft_tucker}. What follows the first
 * arguments are names and values of options.
 */
@AutoService(SparkSessionExtensionsProvider.class)
public final class WeftFunctions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit>
    implements SparkSessionExtensionsProvider {
  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    register(
        extensions,
        "weft_eval",
        EvalSource.NAME,
        List.of(EvalSource.EXPRESSION),
        EvalSource.OPERAND);
    List<String> ofRank = List.of(ModelSource.TENSOR, CpSource.RANK);
    List<String> ofRanks = List.of(ModelSource.TENSOR, TuckerSource.RANKS);
    register(extensions, "weft_cp", CpSource.NAME, ofRank, "");
    register(extensions, "weft_complete", CompletionSource.NAME, ofRank, "");
    register(extensions, "weft_tucker", TuckerSource.NAME, ofRanks, "");
    return BoxedUnit.UNIT;
  }

  private static void register(
      SparkSessionExtensions extensions,
      String name,
      String format,
      List<String> first,
      String prefix) {
    extensions.injectTableFunction(
        new Tuple3<>(
            new FunctionIdentifier(name),
            new ExpressionInfo(WeftFunctions.class.getName(), name),
            new AbstractFunction1<Seq<Expression>, LogicalPlan>() {
              @Override
              public LogicalPlan apply(Seq<Expression> arguments) {
                return plan(name, format, first, prefix, arguments);
              }
            }));
  }

  private static LogicalPlan plan(
      String name, String format, List<String> first, String prefix, Seq<Expression> arguments) {
    List<String> texts = new ArrayList<>();
    for (Expression argument : CollectionConverters.asJava(arguments)) {
      texts.add(text(name, argument));
    }
    int options = texts.size() - first.size();
    if (options < 0 || options % 2 != 0) {
      throw new WeftException(
          ErrorCode.USAGE,
          name
              + ": expected "
              + String.join(", ", first)
              + " and then pairs of a name and a value, found "
              + Counts.plain(texts.size(), "argument"));
    }
    Map<String, String> given = new TreeMap<>(String.CASE_INSENSITIVE_ORDER); // as Spark's
    for (int n = 0; n < first.size(); n++) {
      given.put(first.get(n), texts.get(n));
    }
    for (int n = first.size(); n < texts.size(); n += 2) {
      if (given.put(prefix + texts.get(n), texts.get(n + 1)) != null) {
        throw new WeftException(
            ErrorCode.USAGE, name + ": expected each name once, found another " + texts.get(n));
      }
    }
    DataFrameReader reader = SparkSession.active().read().format(format).options(given);
    Dataset<Row> table = reader.load();
    return ((org.apache.spark.sql.classic.Dataset<Row>) table).queryExecution().analyzed();
  }

  private static String text(String name, Expression argument) {
    if (!argument.foldable()) {
      throw new WeftException(
          ErrorCode.USAGE, name + ": expected constants as arguments, found " + argument.sql());
    }
    Object constant = argument.eval(InternalRow.empty());
    if (constant == null) {
      throw new WeftException(
          ErrorCode.USAGE, name + ": expected constants as arguments, found NULL");
    }
    return constant.toString();
  }
}
