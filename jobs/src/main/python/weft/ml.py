"""Tensor decompositions as estimators of PySpark.

    from weft.ml import Cp
    model = Cp(modeCols=["user", "item", "week"], valueCol="count", rank=16).fit(df)
    model.transform(df)                   # another column, prediction
    model.recommend(users, "item", 10)    # ten items for each row of users

The driver needs Weft's jars. Params are those of the classes in org.weft.ml.
"""

import sys
import types

try:
    from pyspark import SparkContext, keyword_only
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        "expected PySpark, found none: start the program with spark-submit or pyspark, or install the version of your "
        "Spark with pip", name=missing.name) from missing
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.util import JavaMLReadable, JavaMLReader, JavaMLWritable
from pyspark.ml.wrapper import JavaEstimator, JavaModel

__all__ = ["Cp", "CpModel", "TensorCompletion", "TensorCompletionModel", "Tucker", "TuckerModel"]

_JAVA = "org.weft.ml"
_MISSING = (
    "expected Weft's classes in Spark's JVM, found none: start Spark with the jars, such as "
    "'pyspark --jars weft-executor.jar --driver-class-path weft-driver.jar' or "
    "'--packages org.weft:weft-spark-exec:VERSION'; a session that runs already must be started again")
_CONNECT = (
    "Spark Connect has no JVM for estimators: use spark.read.format('weft-cp'), which needs no class of Weft")


def require_jars():
    """Raises a RuntimeError that says what to do if Spark's JVM lacks Weft."""
    context = SparkContext._active_spark_context
    if context is None:
        raise RuntimeError("expected a Spark session, found none: start one first; " + _CONNECT)
    try:
        context._jvm.java.lang.Class.forName(
            _JAVA + ".Cp", False, context._jvm.java.lang.Thread.currentThread().getContextClassLoader())
    except Exception as e:
        if "ClassNotFoundException" not in str(e):
            raise
        raise RuntimeError(_MISSING) from None


class _Reader(JavaMLReader):
    @classmethod
    def _java_loader_class(cls, clazz):
        return f"{_JAVA}.{clazz.__name__}"


class _Readable(JavaMLReadable):
    @classmethod
    def read(cls):
        require_jars()
        return _Reader(cls)


class _Columns(Params):
    modeCols = Param(Params._dummy(), "modeCols", "columns of labels, one for each mode", TypeConverters.toListString)
    valueCol = Param(
        Params._dummy(), "valueCol", "column of values, a number; without it a row counts 1", TypeConverters.toString)
    predictionCol = Param(Params._dummy(), "predictionCol", "column of the model's value", TypeConverters.toString)
    coldStartStrategy = Param(
        Params._dummy(), "coldStartStrategy", "rows with labels that the model lacks: nan or drop",
        TypeConverters.toString)

    def setPredictionCol(self, value):
        return self._set(predictionCol=value)

    def setColdStartStrategy(self, value):
        return self._set(coldStartStrategy=value)


class _Estimator(JavaEstimator, _Columns, _Readable, JavaMLWritable):
    maxIter = Param(Params._dummy(), "maxIter", "iterations at most", TypeConverters.toInt)
    tol = Param(Params._dummy(), "tol", "end when the fit changes by less", TypeConverters.toFloat)
    seed = Param(Params._dummy(), "seed", "seed of the initial factors", TypeConverters.toInt)
    starts = Param(Params._dummy(), "starts", "seeds to start from, the best is kept", TypeConverters.toInt)

    def _start(self, java_class, given):
        super().__init__()
        require_jars()
        self._java_obj = self._new_java_obj(f"{_JAVA}.{java_class}", self.uid)
        self._setDefault(maxIter=50, tol=1e-5, seed=1, starts=1, predictionCol="prediction", coldStartStrategy="nan")
        self._set(**{name: value for name, value in given.items() if value is not None})

    def setModeCols(self, *names):
        return self._set(modeCols=list(names))

    def setValueCol(self, value):
        return self._set(valueCol=value)

    def setMaxIter(self, value):
        return self._set(maxIter=value)

    def setTol(self, value):
        return self._set(tol=value)

    def setSeed(self, value):
        return self._set(seed=value)

    def setStarts(self, value):
        return self._set(starts=value)


class _Model(JavaModel, _Columns, _Readable, JavaMLWritable):
    def predict(self, cell):
        """The model's value at one cell, a dict of a label for each mode; NaN for a label that the model lacks."""
        return self._call_java("predict", cell)

    def recommend(self, rows, mode, count):
        """The `count` labels of a mode with the highest predictions for each distinct row of other labels."""
        return self._call_java("recommend", rows, mode, count)

    def factors(self, mode):
        """The factor of a mode: label, coordinate and weights."""
        return self._call_java("factors", mode)

    @property
    def fit(self):
        """1 - |T - model| / |T|."""
        return self._call_java("fit")

    @property
    def fits(self):
        """The fit after each iteration."""
        return list(self._call_java("fits"))


class Cp(_Estimator):
    """CP decomposition of a table, by alternating least squares."""

    rank = Param(Params._dummy(), "rank", "number of components", TypeConverters.toInt)
    nonnegative = Param(Params._dummy(), "nonnegative", "whether factors are nonnegative", TypeConverters.toBoolean)
    method = Param(Params._dummy(), "method", "als, hals or arls", TypeConverters.toString)
    sample = Param(
        Params._dummy(), "sample", "share of the entries in the slices that arls decomposes first",
        TypeConverters.toFloat)
    polish = Param(Params._dummy(), "polish", "iterations of arls over all entries", TypeConverters.toInt)

    @keyword_only
    def __init__(self, *, modeCols=None, valueCol=None, rank=None, nonnegative=None, method=None, sample=None,
                 polish=None, maxIter=None, tol=None, seed=None, starts=None, predictionCol=None,
                 coldStartStrategy=None):
        self._start("Cp", self._input_kwargs)
        self._setDefault(rank=10, nonnegative=False, method="als", sample=0.1)

    def setRank(self, value):
        return self._set(rank=value)

    def setNonnegative(self, value):
        return self._set(nonnegative=value)

    def setMethod(self, value):
        return self._set(method=value)

    def setSample(self, value):
        return self._set(sample=value)

    def setPolish(self, value):
        return self._set(polish=value)

    def _create_model(self, java_model):
        return CpModel(java_model)


class CpModel(_Model):
    """A CP decomposition of a table."""

    @property
    def weights(self):
        """Weights of the components, lambda."""
        return list(self._call_java("lambda"))


class Tucker(_Estimator):
    """Tucker decomposition of a table, in the driver."""

    ranks = Param(Params._dummy(), "ranks", "columns of each factor, one number for each mode", TypeConverters.toListInt)
    init = Param(Params._dummy(), "init", "initial factors: sthosvd or random", TypeConverters.toString)
    nonnegative = Param(
        Params._dummy(), "nonnegative", "whether core and factors are nonnegative", TypeConverters.toBoolean)

    @keyword_only
    def __init__(self, *, modeCols=None, valueCol=None, ranks=None, init=None, nonnegative=None, maxIter=None, tol=None,
                 seed=None, starts=None, predictionCol=None, coldStartStrategy=None):
        self._start("Tucker", self._input_kwargs)
        self._setDefault(nonnegative=False)

    def setRanks(self, *values):
        return self._set(ranks=list(values))

    def setInit(self, value):
        return self._set(init=value)

    def setNonnegative(self, value):
        return self._set(nonnegative=value)

    def _create_model(self, java_model):
        return TuckerModel(java_model)


class TuckerModel(_Model):
    """A Tucker decomposition of a table."""

    @property
    def core(self):
        """The core, row-major."""
        return list(self._call_java("core"))

    @property
    def ranks(self):
        """Columns of each factor."""
        return list(self._call_java("ranks"))


class TensorCompletion(_Estimator):
    """A CP model of the entries that a table has; what it lacks is unknown, not zero."""

    rank = Param(Params._dummy(), "rank", "number of components", TypeConverters.toInt)
    ridge = Param(
        Params._dummy(), "ridge", "weight of small factors, relative to the sums of an average slice",
        TypeConverters.toFloat)
    biases = Param(
        Params._dummy(), "biases", "whether there are a mean and a bias for each label", TypeConverters.toBoolean)
    heldOut = Param(
        Params._dummy(), "heldOut", "share of the entries that decide which iteration is kept", TypeConverters.toFloat)
    patience = Param(Params._dummy(), "patience", "iterations without a smaller error", TypeConverters.toInt)
    missingWeight = Param(
        Params._dummy(), "missingWeight", "weight of a cell that the table lacks, whose value then counts as 0",
        TypeConverters.toFloat)

    @keyword_only
    def __init__(self, *, modeCols=None, valueCol=None, rank=None, ridge=None, biases=None, heldOut=None,
                 patience=None, missingWeight=None, maxIter=None, tol=None, seed=None, starts=None, predictionCol=None,
                 coldStartStrategy=None):
        self._start("TensorCompletion", self._input_kwargs)
        self._setDefault(rank=10, ridge=0.01, biases=True, heldOut=0.1, patience=20, missingWeight=0.0)

    def setRank(self, value):
        return self._set(rank=value)

    def setRidge(self, value):
        return self._set(ridge=value)

    def setBiases(self, value):
        return self._set(biases=value)

    def setHeldOut(self, value):
        return self._set(heldOut=value)

    def setPatience(self, value):
        return self._set(patience=value)

    def setMissingWeight(self, value):
        return self._set(missingWeight=value)

    def _create_model(self, java_model):
        return TensorCompletionModel(java_model)


class TensorCompletionModel(_Model):
    """A CP model of the entries of a table that are known."""

    @property
    def weights(self):
        """Weights of all columns, lambda: components, then biases and mean."""
        return list(self._call_java("lambda"))

    @property
    def rmse(self):
        """Root of the mean squared error at the entries that were held out."""
        return self._call_java("rmse")

    @property
    def trainingErrors(self):
        """The error at the entries that the model is made of, after each iteration."""
        return list(self._call_java("trainingErrors"))

    @property
    def heldOutErrors(self):
        """The error at the entries that were held out, after each iteration."""
        return list(self._call_java("heldOutErrors"))

    @property
    def best(self):
        """The iteration that this is the model of, from 1."""
        return self._call_java("best")


def _name_as_java():
    """A pipeline of PySpark looks for the Python class of a stage in a module with the name of its Java package."""
    for name in ("org", "org.weft"):
        if name not in sys.modules:
            sys.modules[name] = types.ModuleType(name)
    sys.modules[_JAVA] = sys.modules[__name__]


_name_as_java()
