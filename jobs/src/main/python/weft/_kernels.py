"""Statements on NumPy and SciPy arrays. A process of `weft` that stays compiles a statement the first time;
later calls go to the library."""

import atexit
import importlib.util
import itertools
import json
import numbers
import os
import re
import shutil
import subprocess
import tempfile
import threading

import numpy as np

from . import _orders

_RESULT = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:[(\[]([^)\]]*)[)\]])?\s*(?:<\s*(\w*)[^>]*>)?\s*[-+]?=")
_TYPES = {"int32": "int", "int64": "long", "float32": "float", "float64": "double"}  # of a kind, the narrowest first
_FRACTION = re.compile(r"/|(?<![\w.])(?:\d+\.|\.\d|\d+[eE][-+]?\d|(?:sqrt|exp|log)\s*\()")
_SPARSE = {"csr": "CSR", "csc": "CSC", "coo": "COO"}

_STORED_OTHERWISE = re.compile(r"WEFT-(102|202)\b")

_lock = threading.Lock()
_runs = {}
_numbers = itertools.count()
_resident = None
_folder = None


class Error(ValueError):
    """A statement that cannot be compiled, or operands that do not fit it. `code` is 0, or why the library refused
    a call: a weft_code of C."""

    def __init__(self, message, code=0):
        super().__init__(message)
        self.code = code


def eval(statement, /, *, out=None, format=None, sizes=None, threads=0, **operands):
    """The value of a statement such as "C(i,k) = A(i,j) * B(j,k)"; labels that the result lacks are summed.

    operands: by name, NumPy arrays, SciPy matrices in CSR, CSC or COO, and numbers. Operands of other types of value than
    the result are copied at each call: the result has the type that NumPy's promotion gives, such as float64 for
    integers and floats.
    format: how the result is stored, such as "CSR" or "Dense". By default a matrix is sparse if all operands
    are, and everything else is dense. out: an array for a dense result. threads: 0 for all cores.
    sizes: of labels that only the result has, such as {"k": 4}.

    Raises Error for what cannot be computed, MemoryError where there is no memory.
    """
    if not isinstance(statement, str) or not isinstance(format, (str, type(None))):
        raise Error(f"expected texts as statement and format, found {statement!r} and {format!r}")
    sizes = {} if sizes is None else sizes
    if not isinstance(sizes, dict) or not all(
            isinstance(label, str) and isinstance(size, numbers.Integral) and not isinstance(size, bool)
            and size < 2**63 for label, size in sizes.items()):
        raise Error(f"expected sizes by label, such as {{'k': 4}}, found {sizes!r}")
    key = [statement, format, tuple(sorted(sizes.items()))]
    for name, value in operands.items():
        key += (name, _kind_of_values(name, value), getattr(value, "ndim", 0), _kind(value))
    key = tuple(key)
    run = _runs.get(key)
    if run is None:
        with _lock:
            run = _runs.get(key)
            if run is None:
                run = _runs[key] = _compiled(statement, format, sizes, operands)
    return run(out=out, threads=threads, **operands)


def _compiled(statement, format, sizes, operands):
    """A function of the operands. Where no loop serves them as they are stored, it copies some to another order."""
    found = _RESULT.match(statement)
    if not found:
        raise Error(f"expected a statement such as 'y(i) = A(i,j) * x(j)', found {statement!r}")
    if found.group(3) and found.group(3) not in operands:  # what is not here would count as dense
        raise Error(f"the operand {found.group(3)} is missing")
    formats = _formats(operands)
    name, order = found.group(1), len([label for label in (found.group(2) or "").split(",") if label.strip()])
    if format is None and order == 2 and formats and all(
            name in formats or np.ndim(value) == 0 for name, value in operands.items()):
        format = "CSC" if set(formats.values()) == {"CSC"} else "CSR"
    result = {} if format is None else {name: format}
    try:
        return _library(statement, result, sizes, operands)
    except Error as e:
        if not _STORED_OTHERWISE.search(str(e)):
            raise
        for changed, copies in _orders.others(found.group(), statement[found.end():], operands):
            copied = _orders.with_copies(operands, changed, copies, _copied)
            try:
                run = _library(changed, result, sizes, copied)
            except Error:
                continue
            return lambda out, threads, **values: run(
                out=out, threads=threads, **_orders.with_copies(values, changed, copies, _copied))
        raise


def _copied(name, matrix, kind):
    """A matrix in another order. SciPy follows the indices that it finds, so they are looked at first."""
    if matrix.format == "coo":
        lists = {"row": (matrix.row, matrix.shape[0]), "col": (matrix.col, matrix.shape[1])}
    else:
        first, indices, major = matrix.indptr, matrix.indices, int(matrix.format == "csc")
        if first.shape != (matrix.shape[major] + 1,) or first[0] != 0 or (first[1:] < first[:-1]).any():
            raise Error(f"indptr of {name} does not ascend from 0 in {matrix.shape[major] + 1} numbers")
        if first[-1] > min(len(indices), len(matrix.data)):
            raise Error(f"{name} has {len(indices)} indices and {len(matrix.data)} values, expected {first[-1]}")
        lists = {"indices": (indices[:first[-1]], matrix.shape[1 - major])}
    for what, (array, size) in lists.items():
        if array.size and not 0 <= array.min() <= array.max() < size:
            wrong = np.flatnonzero((array < 0) | (array >= size))[0]
            raise Error(f"{what} of {name} has coordinate {array[wrong]} at {wrong}, expected 0 to {size - 1}")
    return matrix.asformat(kind)


def _formats(operands):
    return {name: _SPARSE[_kind(value)] for name, value in operands.items() if _stored(name, value)}


def _library(statement, result, sizes, operands):
    # The library refuses an operand that the statement does not have, in the words of Python.
    formats = {n: f for n, f in _formats(operands).items() if re.search(rf"\b{re.escape(n)}\b", statement)} | result
    number = next(_numbers)
    stem = os.path.join(_directory(), f"kernel{number}_{os.getpid()}")
    arguments = [statement, "--type", _type(statement, operands), "--name", "kernel", "-q"]
    arguments += ["-o", stem + ".so", "--python", stem + "_module.py"]
    if formats:
        arguments += ["--format", ",".join(f"{name}={value}" for name, value in formats.items())]
    for label, size in sizes.items():
        arguments += ["--size", f"{label}={size}"]
    _request(arguments)
    spec = importlib.util.spec_from_file_location(f"weft._compiled{number}", stem + "_module.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.Error = Error
    return module.run


def _kind(value):
    """How SciPy stores a matrix; None of anything else, such as texts and buffers, which have a format too."""
    return value.format if hasattr(value, "tocsr") else None


def _stored(name, value):
    kind = _kind(value)
    if kind is None:
        return False
    if value.ndim != 2:
        modes = f"{value.ndim} mode" if value.ndim == 1 else f"{value.ndim} modes"
        raise Error(f"{name} is a sparse array with {modes}, expected a matrix: convert it with toarray()")
    if kind not in _SPARSE:
        raise Error(f"{name} is a {kind.upper()} matrix, expected CSR, CSC or COO: convert it with tocsr()")
    return True


def _kind_of_values(name, value):
    """The type of the values, or of numbers of Python, which have no dtype: int or float."""
    if isinstance(value, (str, bytes, os.PathLike)):
        raise Error(f"{name} is {value!r}, expected a number or an array: load a file first, such as with numpy.load")
    kind = getattr(value, "dtype", None)
    if kind is None and type(value) in (int, float):
        return type(value)
    if kind is not None or not isinstance(value, (list, tuple)):
        return kind
    try:
        kind = np.asarray(value).dtype
    except ValueError:
        raise Error(f"{name} is a list whose rows are of different lengths, expected numbers as of an array") from None
    if kind.kind == "O":
        raise Error(f"{name} is a list with values that are no numbers of 64 bits")
    return kind.type


def _type(statement, operands):
    """The type of the statement: what NumPy computes with operands of these types, or the narrowest type here that has
    all its values. Numbers and lists of Python, and numbers of the statement, are of no width: a float makes integers
    float64 and leaves float32 as it is. So do divisions and functions that make fractions of integers."""
    found = {name: value.dtype for name, value in operands.items() if hasattr(value, "dtype")}
    if not found:
        return "double"
    rest = [_kind_of_values(name, value) for name, value in operands.items() if name not in found]
    floats = any(kind and issubclass(kind, (float, np.floating)) for kind in rest)
    fraction = [0.0] if floats or _FRACTION.search(statement) else []
    if all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in found.values()):
        common = np.result_type(*found.values(), *fraction)
        for held, name in _TYPES.items():
            if np.can_cast(common, held) and (common.kind == "f") == (np.dtype(held).kind == "f"):
                return name
    names = ", ".join(f"{name} of {kind}" for name, kind in found.items())
    raise Error(
        f"expected operands whose common type has its values in {', '.join(_TYPES)}, found {names}: "
        f"convert with astype, such as {next(iter(found))}.astype('float64')")


def _directory():
    global _folder
    if _folder is None:
        _folder = tempfile.mkdtemp(prefix="weft-python-")
        atexit.register(_remove, _folder, os.getpid())
    return _folder


def _remove(folder, process):
    if os.getpid() == process:  # a fork has the same functions for its end
        shutil.rmtree(folder, True)


def _forked():
    """A fork has a command, a folder and a lock of its own: the others are at work for its parent."""
    global _lock, _resident, _folder
    _lock, _resident, _folder = threading.Lock(), None, None


os.register_at_fork(after_in_child=_forked)


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
    running = _resident is not None and _resident.poll() is None
    if not running:
        _resident = _started()
    try:
        answer = _answer(_resident, arguments)
        if answer is None and running:  # something ended it since its last answer
            _resident = _started()
            answer = _answer(_resident, arguments)
        if answer is None:
            status = _resident.wait()
            raise Error(f"the command weft was ended by signal {-status}" if status < 0 else
                        f"the command weft ended with status {status}; it says why on standard error")
    except BaseException:
        # Interrupted, say by Ctrl-C. The answer that still comes would be taken for the next one.
        process, _resident = _resident, None
        process.kill()
        process.wait()
        raise
    if answer["status"] != 0:
        raise Error(answer["message"])


def _started():
    command = _command()
    try:
        process = subprocess.Popen(
            [command, "resident"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
    except OSError as e:
        raise Error(f"cannot start the command {command}: {e.strerror}; see WEFT_COMMAND") from e
    atexit.register(_end, process)
    return process


def _answer(process, arguments):
    """What the command answers; None if it ends without an answer."""
    try:
        process.stdin.write(json.dumps(arguments) + "\n")
        process.stdin.flush()
    except BrokenPipeError:  # what it said before it ended is read below
        pass
    line = process.stdout.readline()
    if not line:
        return None
    try:
        answer = json.loads(line)
        answer["status"], answer["message"]
    except (ValueError, LookupError, TypeError) as e:
        raise Error(f"the command {process.args[0]} is not Weft's: it says {line.strip()!r}; see WEFT_COMMAND") from e
    return answer


def _end(process):
    try:
        process.stdin.close()
    except OSError:  # it has ended
        pass
    process.wait()
