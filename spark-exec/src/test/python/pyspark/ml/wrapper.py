from pyspark import DataFrame, SparkContext
from pyspark._gateway import JavaObject
from pyspark.ml.param import Param, Params


def _py2java(value):
    return value._jdf if isinstance(value, DataFrame) else value


def _java2py(value):
    if isinstance(value, JavaObject) and value.getClass().getSimpleName() == "Dataset":
        return DataFrame(value)
    return value


class JavaWrapper:
    def __init__(self, java_obj=None):
        super().__init__()
        self._java_obj = java_obj

    def _call_java(self, name, *args):
        return _java2py(getattr(self._java_obj, name)(*map(_py2java, args)))

    @staticmethod
    def _new_java_obj(java_class, *args):
        java_obj = SparkContext._active_spark_context._jvm
        for name in java_class.split("."):
            java_obj = getattr(java_obj, name)
        return java_obj(*map(_py2java, args))


class JavaParams(JavaWrapper, Params):
    def _transfer_params_to_java(self):
        for param, value in self._paramMap.items():
            self._java_obj.set(self._java_obj.getParam(param.name).w(value))

    def _transfer_params_from_java(self):
        for param in [p for p in vars(self).values() if isinstance(p, Param)]:
            if self._java_obj.hasParam(param.name):
                java_param = self._java_obj.getParam(param.name)
                if self._java_obj.isSet(java_param):
                    self._paramMap[param] = self._java_obj.getOrDefault(java_param)

    @staticmethod
    def _from_java(java_stage):
        module, _, name = java_stage.getClass().getName().replace("org.apache.spark", "pyspark").rpartition(".")
        py_stage = getattr(__import__(module, fromlist=[name]), name)()
        py_stage._java_obj = java_stage
        py_stage.uid = java_stage.uid()
        py_stage._transfer_params_from_java()
        return py_stage


class JavaEstimator(JavaParams):
    def fit(self, dataset):
        self._transfer_params_to_java()
        model = self._create_model(self._java_obj.fit(dataset._jdf))
        model._set(**{p.name: v for p, v in self._paramMap.items() if isinstance(getattr(model, p.name, None), Param)})
        return model


class JavaModel(JavaParams):
    def __init__(self, java_model=None):
        super().__init__(java_model)
        if java_model is not None:
            self.uid = java_model.uid()

    def transform(self, dataset):
        self._transfer_params_to_java()
        return DataFrame(self._java_obj.transform(dataset._jdf))
