import copy
import uuid


class Param:
    def __init__(self, parent, name, doc, typeConverter=None):
        self.parent, self.name, self.doc, self.typeConverter = parent, name, doc, typeConverter


class TypeConverters:
    toInt, toFloat, toString, toBoolean = int, float, str, bool

    @staticmethod
    def toListString(value):
        return [str(element) for element in value]

    @staticmethod
    def toListInt(value):
        return [int(element) for element in value]


class Params:
    _undefined = "undefined"

    @staticmethod
    def _dummy():
        return Params._undefined

    def __init__(self):
        super().__init__()
        self.uid = f"{type(self).__name__}_{uuid.uuid4().hex[-12:]}"
        self._paramMap, self._defaultParamMap = {}, {}
        for name in dir(type(self)):
            param = getattr(type(self), name)
            if isinstance(param, Param):
                own = copy.copy(param)
                own.parent = self.uid
                setattr(self, name, own)

    def _set(self, **kwargs):
        for name, value in kwargs.items():
            param = getattr(self, name)
            self._paramMap[param] = param.typeConverter(value)
        return self

    def _setDefault(self, **kwargs):
        for name, value in kwargs.items():
            param = getattr(self, name)
            self._defaultParamMap[param] = param.typeConverter(value)
        return self

    def getOrDefault(self, param):
        return self._paramMap.get(param, self._defaultParamMap.get(param))
