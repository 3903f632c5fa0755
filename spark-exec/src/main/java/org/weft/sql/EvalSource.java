package org.weft.sql;

import com.google.auto.service.AutoService;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.weft.compiler.eval.LabelledStatement;
import scala.jdk.javaapi.CollectionConverters;

/**
 * {@code format("weft-eval")}: the value of a statement, with a column for each label of the result
 * and the column {@code value}.
 *
 * <pre>{@code
 * spark.read.format("weft-eval").option("expression", "y(user) = C(user,item) * p(item)")
 *     .option("operand.C", "counts").option("operand.p", "prices").load()
 * }</pre>
 *
 * <p>An operand is a table or view, a path, or a number.
 */
@AutoService(DataSourceRegister.class)
public final class EvalSource implements ComputedSource {
  static final String NAME = "weft-eval";
  static final String EXPRESSION = "expression";
  static final String OPERAND = "operand.";

  @Override
  public String shortName() {
    return NAME;
  }

  @Override
  public BaseRelation createRelation(
      SQLContext context, scala.collection.immutable.Map<String, String> options) {
    SparkSession spark = context.sparkSession();
    TableSettings settings =
        new TableSettings(NAME, CollectionConverters.asJava(options), Set.of(EXPRESSION, OPERAND));
    String text = settings.required(EXPRESSION, "'y(i) = A(i,j) * x(j)'");
    LabelledStatement statement = LabelledStatement.parse(text);
    requireApart(settings, statement.operands().keySet());
    settings.requireOnly(OPERAND, statement.operands().keySet());
    Map<String, SqlOperand> operands = new LinkedHashMap<>();
    for (String name : statement.operands().keySet()) {
      operands.put(
          name,
          SqlOperand.of(spark, settings.required(OPERAND + name, "a path or a table's name")));
    }
    return new ComputedRelation(
        context,
        schema(statement, operands),
        weft -> {
          Map<String, Object> given = new LinkedHashMap<>();
          operands.forEach((name, operand) -> given.put(name, operand.given()));
          return weft.eval(text, given).entries();
        });
  }

  /** Spark takes options of names that differ in case as one option. */
  private static void requireApart(TableSettings settings, Set<String> names) {
    Map<String, String> apart = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String name : names) {
      String other = apart.put(name, name);
      if (other != null) {
        throw settings.wrong(
            "expected names of operands that differ in more than case, found "
                + other
                + " and "
                + name);
      }
    }
  }

  /** A label has the type that it has in the first operand. */
  private static StructType schema(LabelledStatement statement, Map<String, SqlOperand> operands) {
    Map<String, DataType> types = new HashMap<>();
    Map<String, List<List<String>>> accesses = statement.accesses();
    operands.forEach(
        (name, operand) -> {
          for (List<String> labels : accesses.getOrDefault(name, List.of())) {
            for (int mode = 0; mode < labels.size(); mode++) {
              if (!types.containsKey(labels.get(mode))) {
                types.put(labels.get(mode), operand.type(mode));
              }
            }
          }
        });
    List<String> labels = statement.resultLabels();
    StructType schema = new StructType();
    for (String label : labels) {
      schema = schema.add(label, types.getOrDefault(label, DataTypes.LongType));
    }
    return schema.add("value", DataTypes.DoubleType);
  }
}
