"""Statements on NumPy and SciPy arrays. A process of `weft` that stays compiles a statement the first time;
later calls go to the library."""

import atexit
import importlib.util
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading

import numpy as np

_RESULT = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:[(\[]([^)\]]*)[)\]])?\s*[-+]?=")
_OPERAND = re.compile(r"([A-Za-z_]\w*)\s*[(\[]([^)\]]*)[)\]]")
_TYPES = {"float64": "double", "float32": "float", "int32": "int", "int64": "long"}
_SPARSE = {"csr": "CSR", "csc": "CSC", "coo": "COO"}

_lock = threading.Lock()
_runs = {}
_resident = None
_folder = None


class Error(ValueError):
    """A statement that cannot be compiled, or operands that do not fit it."""


def eval(statement, *, out=None, format=None, threads=0, **operands):
    """The value of a statement such as "C(i,k) = A(i,j) * B(j,k)"; labels that the result lacks are summed.

    operands: by name, NumPy arrays, SciPy matrices in CSR, CSC or COO, and numbers, all of one type of value.
    format: how the result is stored, such as "CSR" or "Dense". By default a matrix is sparse if all operands
    are, and everything else is dense. out: an array for a dense result. threads: 0 for all cores.
    """
    key = [statement, format]
    for name, value in operands.items():
        dtype = getattr(value, "dtype", None)
        key += (name, dtype, getattr(value, "format", None))
    key = tuple(key)
    run = _runs.get(key)
    if run is None:
        with _lock:
            run = _runs.get(key)
            if run is None:
                run = _runs[key] = _compiled(statement, format, operands)
    return run(out=out, threads=threads, **operands)


def _compiled(statement, format, operands):
    found = _RESULT.match(statement)
    if not found:
        raise Error(f"expected a statement such as 'y(i) = A(i,j) * x(j)', found {statement!r}")
    formats = {name: _SPARSE[value.format] for name, value in operands.items() if _stored(name, value)}
    name, order = found.group(1), len([label for label in (found.group(2) or "").split(",") if label.strip()])
    if format is None and order == 2 and formats and _all_sparse(statement[found.end():], formats):
        format = "CSC" if set(formats.values()) == {"CSC"} else "CSR"
    if format is not None:
        formats[name] = format
    number = len(_runs)
    stem = os.path.join(_directory(), f"kernel{number}_{os.getpid()}")
    arguments = [statement, "--type", _type(operands), "--name", "kernel", "-q"]
    arguments += ["-o", stem + ".so", "--python", stem + "_module.py"]
    if formats:
        arguments += ["--format", ",".join(f"{name}={value}" for name, value in formats.items())]
    _request(arguments)
    spec = importlib.util.spec_from_file_location(f"weft._compiled{number}", stem + "_module.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.run


def _stored(name, value):
    kind = getattr(value, "format", None)
    if kind is None:
        return False
    if kind not in _SPARSE:
        raise Error(f"{name} is a {kind.upper()} matrix, expected CSR, CSC or COO: convert it with tocsr()")
    return True


def _all_sparse(value, formats):
    return all(name in formats or not labels.strip() for name, labels in _OPERAND.findall(value))


def _type(operands):
    kinds = {str(value.dtype) for value in operands.values() if hasattr(value, "dtype")}
    if len(kinds) > 1 or not kinds <= _TYPES.keys():
        raise Error(
            f"expected operands of one type among {', '.join(_TYPES)}, found {', '.join(sorted(kinds))}: "
            "convert with astype")
    return _TYPES[kinds.pop()] if kinds else "double"


def _directory():
    global _folder
    if _folder is None:
        _folder = tempfile.mkdtemp(prefix="weft-python-")
        atexit.register(shutil.rmtree, _folder, True)
    return _folder


def _command():
    here = os.path.dirname(os.path.abspath(__file__))
    checkout = os.path.join(here, *[os.pardir] * 4, "bin", "weft")
    command = os.environ.get("WEFT_COMMAND") or shutil.which("weft") or (
        checkout if os.path.exists(checkout) else None)
    if command is None:
        raise Error("expected the command weft on the PATH or in WEFT_COMMAND, found none: see Install in Weft's README")
    return command


def _request(arguments):
    global _resident
    if _resident is None or _resident.poll() is not None:
        _resident = subprocess.Popen(
            [_command(), "resident"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        atexit.register(_end, _resident)
    _resident.stdin.write(json.dumps(arguments) + "\n")
    _resident.stdin.flush()
    line = _resident.stdout.readline()
    if not line:
        raise Error(f"the command weft ended with status {_resident.wait()}; it says why on standard error")
    answer = json.loads(line)
    if answer["status"] != 0:
        raise Error(answer["message"])


def _end(process):
    process.stdin.close()
    process.wait()
