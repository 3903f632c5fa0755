"""weft.ml against a gateway of py4j: check_ml.py PORT FOLDER. Prints done."""

import math
import sys

from pyspark import DataFrame, SparkContext
from pyspark._gateway import Gateway

import weft.ml
from weft.ml import Cp, CpModel, TensorCompletion, TensorCompletionModel


def fails(kind, words, action):
    try:
        action()
    except kind as e:
        assert words in str(e), e
    else:
        raise AssertionError("no " + kind.__name__)


fails(RuntimeError, "start one first", Cp)
gateway = Gateway(int(sys.argv[1]))
SparkContext(gateway)
weft.ml._JAVA = "org.nowhere"
fails(RuntimeError, "--packages org.weft:weft-spark-exec", Cp)
weft.ml._JAVA = "org.weft.ml"

spark = gateway.jvm.org.apache.spark.sql.SparkSession.active()
sales = DataFrame(spark.sql(
    "SELECT * FROM VALUES ('a','apple',1,6L), ('a','apple',2,6L), ('c','pear',3,5L), ('c','fig',3,1L)"
    " AS t(user, item, week, count)"))
cp = Cp(modeCols=["user", "item", "week"], valueCol="count", rank=2, tol=1e-12, maxIter=12)
model = cp.fit(sales)
assert isinstance(model, CpModel)
assert abs(model.fit - 1) < 1e-6 and len(model.fits) > 1 and len(model.weights) == 2, model.fits
for user, item, week, count, prediction in model.transform(sales).rows():
    assert abs(count - prediction) < 1e-5, (user, item, week, count, prediction)
assert abs(model.predict({"user": "c", "item": "pear", "week": 3}) - 5) < 1e-5
assert math.isnan(model.predict({"user": "x", "item": "pear", "week": 3}))
best = model.recommend(DataFrame(spark.sql("SELECT 'c' AS user")), "item", 1).rows()[0]
assert best[0] == "c" and best[1].apply(0).getString(0) == "pear"
assert model.factors("item")._jdf.count() == 3

model.save(sys.argv[2] + "/model")
loaded = CpModel.load(sys.argv[2] + "/model")
assert isinstance(loaded, CpModel) and loaded.weights == model.weights
unknown = DataFrame(spark.sql("SELECT 'x' AS user, 'pear' AS item, 1 AS week"))
assert math.isnan(loaded.transform(unknown).rows()[0][3])
assert loaded.setColdStartStrategy("drop").transform(unknown).rows() == []
fails(Exception, "newton", lambda: Cp(modeCols=["user", "item", "week"], method="newton").fit(sales))
cp.setMethod("arls").setSample(0.5).setPolish(2)
cp.save(sys.argv[2] + "/cp")
again = Cp.load(sys.argv[2] + "/cp")
assert again.getOrDefault(again.rank) == 2 and again.getOrDefault(again.method) == "arls"
assert again.getOrDefault(again.polish) == 2

fails(Exception, "expected a column 'shop'", lambda: cp.setModeCols("user", "shop").fit(sales))

ratings = DataFrame(spark.sql(
    "SELECT u.id AS user, i.id AS item, 3 + cos(u.id) + sin(i.id) AS rating"
    " FROM range(12) u, range(12) i WHERE pmod(hash(u.id, i.id), 3) > 0"))
complete = TensorCompletion(modeCols=["user", "item"], valueCol="rating", rank=1, ridge=1e-4, heldOut=0.2, maxIter=12)
completed = complete.fit(ratings)
assert isinstance(completed, TensorCompletionModel) and len(completed.weights) == 4
assert completed.rmse == completed.heldOutErrors[completed.best - 1] < 0.1, completed.heldOutErrors
missing = DataFrame(spark.sql(
    "SELECT u.id AS user, i.id AS item, 3 + cos(u.id) + sin(i.id) AS rating"
    " FROM range(12) u, range(12) i WHERE pmod(hash(u.id, i.id), 3) = 0"))
for user, item, rating, prediction in completed.transform(missing).rows():
    assert abs(rating - prediction) < 0.5, (user, item, rating, prediction)
completed.save(sys.argv[2] + "/completed")
assert TensorCompletionModel.load(sys.argv[2] + "/completed").trainingErrors == completed.trainingErrors
print("done")
