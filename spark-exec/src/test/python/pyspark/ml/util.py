from pyspark import SparkContext
from pyspark.ml.wrapper import JavaParams


class JavaMLWritable:
    def save(self, path):
        self._transfer_params_to_java()
        self._java_obj.write().overwrite().save(path)


class JavaMLReader:
    def __init__(self, clazz):
        reader = SparkContext._active_spark_context._jvm
        for name in self._java_loader_class(clazz).split("."):
            reader = getattr(reader, name)
        self._jread = reader.read()

    def load(self, path):
        return JavaParams._from_java(self._jread.load(path))


class JavaMLReadable:
    @classmethod
    def load(cls, path):
        return cls.read().load(path)
