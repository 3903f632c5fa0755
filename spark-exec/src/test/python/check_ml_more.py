"""More of weft.ml against a gateway of py4j: check_ml_more.py PORT FOLDER. Prints done."""

import sys

from pyspark import DataFrame, SparkContext
from pyspark._gateway import Gateway

from weft.ml import Cp, Tucker

gateway = Gateway(int(sys.argv[1]))
SparkContext(gateway)
spark = gateway.jvm.org.apache.spark.sql.SparkSession.active()
sales = DataFrame(spark.sql(
    "SELECT * FROM VALUES ('a','apple',1,6L), ('a','apple',2,6L), ('c','pear',3,5L), ('c','fig',3,1L)"
    " AS t(user, item, week, count)"))
modes = ["user", "item", "week"]
assert Cp(modeCols=modes, valueCol="count", rank=1, starts=3).fit(sales).fit > 0.1
sampled = Cp(modeCols=modes, valueCol="count", rank=2, method="arls", sample=0.5, polish=2)
assert sampled.fit(sales).fit > 0.1
tucker = Tucker(modeCols=modes, valueCol="count", ranks=[2, 2, 2]).fit(sales)
assert tucker.ranks == [2, 2, 2] and len(tucker.core) == 8 and abs(tucker.fit - 1) < 0.2
positive = Tucker(modeCols=modes, valueCol="count", ranks=[2, 2, 2], nonnegative=True).setInit("random").fit(sales)
assert min(positive.core) >= 0
print("done")
