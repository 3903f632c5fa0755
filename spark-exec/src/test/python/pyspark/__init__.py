"""What weft.ml uses of PySpark, written after Spark 4.2's pyspark.ml; PySpark itself is in no registry here."""

import functools


class SparkContext:
    _active_spark_context = None

    def __init__(self, gateway):
        self._jvm = gateway.jvm
        SparkContext._active_spark_context = self


def keyword_only(function):
    @functools.wraps(function)
    def wrapper(self, *args, **kwargs):
        if args:
            raise TypeError(f"Method {function.__name__} only takes keyword arguments.")
        self._input_kwargs = kwargs
        return function(self, **kwargs)

    return wrapper


class DataFrame:
    def __init__(self, jdf):
        self._jdf = jdf

    def collect(self):
        found = self._jdf.collectAsList()
        return [Row(found.get(n)) for n in range(found.size())]

    def rows(self):
        found = self._jdf.collectAsList()
        return [[row.get(c) for c in range(row.length())] for row in map(found.get, range(found.size()))]


class Row:
    def __init__(self, jrow):
        self._jrow = jrow

    def __getitem__(self, name):
        value = self._jrow.get(self._jrow.fieldIndex(name))
        return [value.apply(n) for n in range(value.size())] if hasattr(value, "target") else value
