"""A client of py4j's protocol, as far as the tests go: py4j's own Python half is in no registry here."""

import socket


class JavaError(Exception):
    pass


class Gateway:
    def __init__(self, port):
        self._stream = socket.create_connection(("127.0.0.1", port)).makefile("rw", encoding="utf-8", newline="\n")
        self.jvm = Name(self, "")

    def ask(self, command):
        self._stream.write(command + "e\n")
        self._stream.flush()
        line = self._stream.readline().rstrip("\n")
        if line[:2] == "!x":
            cause = self._value(line[2:]) if len(line) > 2 else line
            raise JavaError(cause.toString() if isinstance(cause, JavaObject) else str(cause))
        return self._value(line[2:])

    def call(self, target, method, arguments):
        return self.ask(f"c\n{target}\n{method}\n{self.written(arguments)}")

    def written(self, arguments):
        return "".join(self._argument(value) + "\n" for value in arguments)

    def _argument(self, value):
        if value is None:
            return "n"
        if isinstance(value, bool):
            return "b" + str(value).lower()
        if isinstance(value, int):
            return f"i{value}"
        if isinstance(value, float):
            return f"d{value!r}"
        if isinstance(value, str):
            return "s" + value.replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n")
        if isinstance(value, (list, tuple)):
            made = self.jvm.java.util.ArrayList()
            for element in value:
                made.add(element)
            return "r" + made.target
        if isinstance(value, dict):
            made = self.jvm.java.util.HashMap()
            for key, element in value.items():
                made.put(key, element)
            return "r" + made.target
        return "r" + value.target

    def _value(self, text):
        kind, rest = text[:1], text[1:]
        if kind in ("r", "l", "a", "h", "g"):
            return JavaObject(self, rest)
        if kind == "t":
            size = self.ask(f"a\ne\n{rest}\n")
            return [self.ask(f"a\ng\n{rest}\ni{n}\n") for n in range(size)]
        if kind in ("i", "L"):
            return int(rest)
        if kind == "d":
            return float(rest)
        if kind == "b":
            return rest == "true"
        if kind == "s":
            return rest.replace("\\n", "\n").replace("\\\\", "\\")
        return None


class JavaObject:
    def __init__(self, gateway, target):
        self._gateway, self.target = gateway, target

    def __getattr__(self, method):
        return lambda *arguments: self._gateway.call(self.target, method, arguments)


class Name:
    """A package, a class, or a method of a class: which of them is known when it is called."""

    def __init__(self, gateway, path):
        self._gateway, self._path = gateway, path

    def __getattr__(self, name):
        return Name(self._gateway, f"{self._path}.{name}".lstrip("."))

    def __call__(self, *arguments):
        owner, _, last = self._path.rpartition(".")
        if last[:1].isupper():
            return self._gateway.ask(f"i\n{self._path}\n{self._gateway.written(arguments)}")
        return self._gateway.call("z:" + owner, last, arguments)
