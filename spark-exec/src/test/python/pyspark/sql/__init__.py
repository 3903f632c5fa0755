"""What the page of examples uses of pyspark.sql, on the active session of the JVM."""

from pyspark import DataFrame, SparkContext

__all__ = ["DataFrame", "SparkSession"]


class _Builder:
    def getOrCreate(self):
        return SparkSession(SparkContext._active_spark_context._jvm.org.apache.spark.sql.SparkSession.active())


class _Reader:
    def __init__(self, jreader):
        self._jreader = jreader

    def csv(self, path, header=False, inferSchema=False):
        options = self._jreader.option("header", header).option("inferSchema", inferSchema)
        return DataFrame(options.csv(path))


class SparkSession:
    builder = _Builder()

    def __init__(self, jsession):
        self._jsession = jsession

    @property
    def read(self):
        return _Reader(self._jsession.read())
