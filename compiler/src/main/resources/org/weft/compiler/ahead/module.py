"""@STATEMENT@

Compiled by Weft; needs the library @FILE@, NumPy, and SciPy for its matrices.

    import @MODULE@
    @CALL@

@TENSORS@

Dense tensors are NumPy arrays, @TYPE@; CSR, CSC and COO matrices are SciPy's; others are `Tensor`s,
which `pack` makes of coordinates. Arrays are not copied, but for these: dense operands that are not
contiguous in their mode order, matrices that are not sorted or have repeated entries, and 32-bit
indices beside 64-bit ones. A dense result of less than 1 MiB is made by NumPy, any other array by the
library, which gives it back when NumPy drops it.
"""

import copy
import ctypes
import functools
import operator
import os
import re
import struct
import weakref

import numpy as np

try:
    import scipy.sparse as _sparse
except ImportError:  # dense tensors and Tensor need NumPy alone
    _sparse = None

STATEMENT = @QUOTED@
_NAME = "@NAME@"
_DTYPE = np.dtype("@DTYPE@")
_TYPE = @VALUETYPE@
_ADDS = @ADDS@
# name, kind, levels (0 dense, 1 compressed, 2 singleton; mode; unique), outermost first; the result first
_TENSORS = @SPECS@
# whether the entries of the result's fibers ascend
_ORDERED = @ORDERED@
# sizes of the result's modes: (operand, mode) or (-1, size)
_SHAPE = @SHAPE@

_MODES = 8
_TENSOR_BYTES = 32 + 8 * _MODES + 32 * _MODES
_NOT_SORTED = 15
_SMALL = 1 << 20
_FEW = 1 << 14
_MOST_THREADS = (1 << 31) - 1

_library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), @LIBRARY@))
_call = _library["@NAME@_call"]
_free = _library["@NAME@_free"]
_message = _library["@NAME@_message"]
_message.restype = ctypes.c_char_p
_Tensors = ctypes.c_char * (_TENSOR_BYTES * len(_TENSORS))
_Tensor = ctypes.c_char * _TENSOR_BYTES


class Error(ValueError):
    """What was wrong with a call. `code` is a weft_code of the C header, 0 for what Python found."""

    def __init__(self, message, code=0):
        super().__init__(message)
        self.code = code


class Tensor:
    """A tensor as its levels: `shape`, lists `pos` and `crd` of arrays by level (None where a level
    has none), outermost first, and `vals`."""

    __slots__ = ("shape", "pos", "crd", "vals", "modes")

    def __init__(self, shape, pos, crd, vals, modes=None):
        self.shape = tuple(operator.index(size) for size in shape)
        self.pos = list(pos)
        self.crd = list(crd)
        self.vals = vals
        self.modes = tuple(range(len(self.shape))) if modes is None else tuple(modes)

    def coordinates(self):
        """The coordinates of all values, an array for each mode."""
        found = [None] * len(self.shape)
        count = 1
        for pos, crd, mode in zip(self.pos, self.crd, self.modes):
            if crd is None:
                size = self.shape[mode]
                parents = np.repeat(np.arange(count), size)
                here = np.tile(np.arange(size), count)
            elif pos is None:
                parents, here = np.arange(count), crd
            else:
                parents, here = np.repeat(np.arange(count), np.diff(pos)), crd
            found = [None if array is None else array[parents] for array in found]
            found[mode] = here
            count = len(here)
        return found

    def toarray(self):
        """The tensor as a NumPy array."""
        dense = np.zeros(self.shape, self.vals.dtype)
        if self.shape:
            np.add.at(dense, tuple(self.coordinates()), self.vals)
        else:
            dense[()] = self.vals[0]
        return dense


def pack(name, coordinates, values, shape, index=np.int64):
    """The `Tensor` for operand `name` with these entries; equal coordinates are added up.

    coordinates: an array of integers for each mode. index: type of pos and crd, 32 or 64 bits.
    """
    levels = next((spec[2] for spec in _TENSORS[1:] if spec[0] == name), None)
    if levels is None:
        raise Error(f"no operand {name}; the operands are {', '.join(_NAMES)}")
    try:
        shape = tuple(operator.index(size) for size in shape)
    except TypeError as e:
        raise Error(f"{name}: expected a list of whole numbers as shape, found {shape!r}") from e
    columns = [_cast(name, "coordinates", c, np.int64) for c in coordinates]
    values = _cast(name, "values", values, _DTYPE)
    if len(shape) != len(levels) or len(columns) != len(levels):
        raise Error(
            f"{name} has {_modes(len(levels))}, expected a size and an array of coordinates for each,"
            f" found {len(shape)} sizes and {len(columns)} arrays")
    if values.ndim != 1 or min(shape, default=0) < 0:
        raise Error(f"{name}: expected a list of values and sizes from 0, found {_modes(values.ndim)} and sizes {shape}")
    for mode, column in enumerate(columns):
        if column.shape != values.shape or (len(column) and not 0 <= column.min() <= column.max() < shape[mode]):
            raise Error(f"{name}: expected a coordinate from 0 to {shape[mode] - 1} in mode {mode} for each value")
    keys = [columns[mode] for _, mode, _ in levels]
    order = np.lexsort(keys[::-1]) if keys else np.arange(len(values))
    keys, values = [key[order] for key in keys], values[order]
    first = np.ones(len(values), bool)
    if keys and len(values):
        first[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    summed = np.zeros(int(first.sum()), _DTYPE)
    np.add.at(summed, np.cumsum(first) - 1, values)
    keys, entries = [key[first] for key in keys], len(summed)
    at, count, pos, crd = np.zeros(entries, np.int64), 1, [], []
    for (kind, mode, unique), key in zip(levels, keys):
        if kind == 0:
            at, count = at * shape[mode] + key, count * shape[mode]
            pos.append(None)
            crd.append(None)
            continue
        if kind == 2:
            pos.append(None)
            crd.append(key.astype(index))
            continue
        new = np.ones(entries, bool)
        if unique and entries:
            new[1:] = (at[1:] != at[:-1]) | (key[1:] != key[:-1])
        segments = np.zeros(count + 1, np.int64)
        np.cumsum(np.bincount(at[new], minlength=count), out=segments[1:])
        pos.append(segments.astype(index))
        crd.append(key[new].astype(index))
        at, count = np.cumsum(new) - 1, int(new.sum())
    stored = np.zeros(count, _DTYPE)
    stored[at] = summed
    return Tensor(shape, pos, crd, stored, [mode for _, mode, _ in levels])


def _cast(name, what, value, dtype):
    array = np.asarray(value)
    if array.size and not np.can_cast(array.dtype, dtype, "same_kind"):
        raise Error(f"{name} has {what} of {array.dtype}, expected {np.dtype(dtype)}")
    return array.astype(dtype, copy=False)


_addressof = ctypes.addressof
_from_buffer = ctypes.c_char.from_buffer


def _address(array):
    """Where a contiguous array begins: a fifth of the time that NumPy takes for it."""
    try:
        return _addressof(_from_buffer(array))
    except (TypeError, ValueError):  # read-only, or without elements
        return array.ctypes.data


def _typed(name, array):
    """The array with values of the statement's type: a copy, if the type of the values is another one that it holds."""
    if array.dtype != _DTYPE:
        if array.dtype.kind in "biuf" and np.can_cast(array.dtype, _DTYPE):
            return array.astype(_DTYPE, order="C")
        raise Error(f"{name} has values of {array.dtype}, expected {_DTYPE}: convert with astype")
    flags = array.flags
    return array if flags.c_contiguous and flags.aligned else np.array(array, order="C")


def _array(name, value):
    """A NumPy array of another value. Numbers of Python, which have no type, take that of the operands if they fit."""
    if isinstance(value, (Tensor, np.ma.MaskedArray)) or (_sparse is not None and _sparse.issparse(value)):
        raise Error(f"{name} is {_kind(value)}, expected a NumPy array")
    try:
        array = np.asarray(value)
    except ValueError as e:
        raise Error(f"{name} is {_kind(value)}, expected a NumPy array") from e
    if not hasattr(value, "dtype") and isinstance(value, (int, float, list, tuple)) and array.dtype.kind in "iuf":
        with np.errstate(all="ignore"):
            typed = array.astype(_DTYPE)
            fits = np.isfinite(typed) == np.isfinite(array) if _DTYPE.kind == "f" else typed == array
        if fits.all():
            return typed
    return array


def _dense_operand(number, name, levels):
    order = len(levels)
    modes = tuple(mode for _, mode, _ in levels)
    plain = modes == tuple(range(order))
    layout = struct.Struct(f"=4i{order}q{8 * (_MODES - order)}xQq")
    offset = number * _TENSOR_BYTES

    def bind(tensors, value, keep):
        array = value
        if type(array) is not np.ndarray:
            array = _array(name, value)
        if array.ndim != order:
            raise Error(f"{name} has {_modes(array.ndim)}, expected {order}")
        shape = array.shape
        array = _typed(name, array if plain else array.transpose(modes))
        keep.append(array)
        layout.pack_into(tensors, offset, order, _TYPE, 0, 0, *shape, _address(array), array.size)

    return bind


def _index_bits(name, arrays):
    """The arrays with one type of 4 or 8 bytes."""
    kinds = {array.dtype for array in arrays}
    if not all(kind.kind == "i" and kind.itemsize in (4, 8) and kind.isnative for kind in kinds):
        raise Error(f"{name} has indices of {', '.join(str(k) for k in kinds)}, expected int32 or int64")
    if len(kinds) > 1:
        arrays = [array.astype(np.int64) for array in arrays]
    return 8 * arrays[0].dtype.itemsize, [
        a if _is_plain(a.flags) else np.array(a, order="C") for a in arrays]


def _is_plain(flags):
    return flags.c_contiguous and flags.aligned


def _lists(name, kind, value):
    """The indices of a matrix. SciPy lets anything be put in the place of its arrays, and then reads past their ends."""
    try:
        first, crd = (value.row, value.col) if kind == "coo" else (value.indptr, value.indices)
        (positions,), (indices,), (values,) = first.shape, crd.shape, value.data.shape
    except (AttributeError, ValueError) as e:
        raise Error(f"{name} is {_kind(value)} without lists of indices and values: {e}") from e
    if first.dtype.kind != "i" or crd.dtype.kind != "i":
        raise Error(f"{name} has indices of {first.dtype}, {crd.dtype}, expected int32 or int64")
    if kind == "coo":
        if not positions == indices == values:
            raise Error(f"{name} has {positions} rows, {indices} columns and {values} values, expected equal numbers")
        return first, crd, values
    expected = value.shape[kind == "csc"] + 1
    if positions != expected:
        raise Error(f"indptr of {name} has {positions} elements, expected {expected}", 11)
    count = int(first[-1])
    if not 0 <= count <= min(indices, values):
        raise Error(f"{name} has {indices} indices and {values} values, expected {count}", 11)
    return first, crd, count


def _falls(first, end):
    """Whether positions do not ascend from 0 to the end, so that SciPy must not follow them."""
    return first[0] < 0 or first[-1] > end or bool((first[1:] < first[:-1]).any())


_looked_at = {}


def _seen(array, count, size):
    """Whether a call has looked at the coordinates of this array. A few are looked at by every call."""
    if count <= _FEW:
        return False
    found = _looked_at.get(id(array))
    return found is not None and found[0]() is array and found[1] >= count and found[2] <= size


def _look_later(array, count, size):
    """Notes that the coordinates of an array were found in range."""
    if count > _FEW:
        key = id(array)
        _looked_at[key] = weakref.ref(array, lambda _: _looked_at.pop(key, None)), count, size


def _matrix_operand(number, name, kind):
    layout = struct.Struct(f"=4i2q{8 * (_MODES - 2)}xQqQqQqQqQq")
    offset = number * _TENSOR_BYTES

    def bind(tensors, value, keep):
        if getattr(value, "format", None) != kind or not hasattr(value, "tocsr"):
            how = f"to{kind}() converts it" if hasattr(value, f"to{kind}") else f"scipy.sparse.{kind}_array makes one"
            raise Error(f"{name} is {_kind(value)}, expected a {kind.upper()} matrix of SciPy: {how}")
        if len(value.shape) != 2:
            raise Error(f"{name} has {_modes(len(value.shape))}, expected 2")
        first, crd, count = _lists(name, kind, value)
        # SciPy follows indptr to find out what it does not know yet. The library refuses one that falls.
        known = kind == "coo" or getattr(value, "_has_canonical_format", False) and value.has_canonical_format
        if not known and not _falls(first, len(crd)) and not value.has_canonical_format:
            value = value.copy()
            value.sum_duplicates()
            first, crd, count = _lists(name, kind, value)
        data = _typed(name, value.data)
        rows, columns = value.shape
        if kind == "coo":
            unseen = [of for of in ((first, count, rows), (crd, count, columns)) if not _seen(*of)]
        else:
            of = crd, count, rows if kind == "csc" else columns
            unseen = None if _seen(*of) else (of,)
        width = first.dtype
        if width == crd.dtype and width in _WIDTHS and _is_plain(first.flags) and _is_plain(crd.flags):
            bits = 8 * width.itemsize
        else:
            bits, (first, crd) = _index_bits(name, [first, crd])
        keep += (data, first, crd)
        if kind == "coo":
            levels = (0, 0, _address(first), count, 0, 0, _address(crd), count)
        else:
            levels = (0, 0, 0, 0, _address(first), len(first), _address(crd), count)
        layout.pack_into(tensors, offset, 2, _TYPE, bits, 0, rows, columns, _address(data), count, *levels)
        return unseen

    return bind


def _level_operand(number, name, levels):
    order = len(levels)
    layout = struct.Struct(f"=4i{order}q{8 * (_MODES - order)}xQq{'QqQq' * order}")
    offset = number * _TENSOR_BYTES

    def bind(tensors, value, keep):
        if not isinstance(value, Tensor):
            raise Error(f"{name} is {_kind(value)}, expected a Tensor: pack({name!r}, ...) makes one")
        if _length(value.shape) != order:
            raise Error(f"{name} has {_modes(_length(value.shape))}, expected {order}")
        for mode, size in enumerate(value.shape):
            if not 0 <= size < 1 << 63:
                raise Error(f"mode {mode} of {name} has size {size}, expected 0 to 2^63-1", 12)
        for part in ("pos", "crd"):
            if _length(getattr(value, part)) != order:
                raise Error(f"{part} of {name} is {_kind(getattr(value, part))} of length"
                            f" {_length(getattr(value, part))}, expected a list of {order}, one for each level")
        vals = _typed(name, np.asarray(value.vals))
        present = [np.asarray(a) for pair in zip(value.pos, value.crd) for a in pair if a is not None]
        bits, arrays = _index_bits(name, present) if present else (0, [])
        keep += (vals, *arrays)
        words, rest = [], iter(arrays)
        for array in (a for pair in zip(value.pos, value.crd) for a in pair):
            array = None if array is None else next(rest)
            words += (0, 0) if array is None else (_address(array), array.size)
        layout.pack_into(
            tensors, offset, order, _TYPE, bits, 0, *value.shape, _address(vals), vals.size, *words)
        of = [(array, array.size, value.shape[mode])
              for (_, mode, _), crd in zip(levels, value.crd) if crd is not None for array in (np.asarray(crd),)]
        return [one for one in of if not _seen(*one)]

    return bind


def _length(value):
    try:
        return len(value)
    except TypeError:
        return 0


def _modes(count):
    return f"{count} mode" if count == 1 else f"{count} modes"


def _kind(value):
    if isinstance(value, Tensor):
        return "a Tensor"
    if _sparse is not None and _sparse.issparse(value):
        return f"a {value.format.upper()} matrix of SciPy"
    if type(value).__name__ == "Tensor":
        return "a Tensor of another module"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeioAEIO' or name == 'ndarray' else 'a'} {name}"


def _operand(number, name, kind, levels):
    if kind == "dense":
        return _dense_operand(number, name, levels)
    return _level_operand(number, name, levels) if kind == "levels" else _matrix_operand(number, name, kind)


class _View:
    """Memory of a result for NumPy; the library gets it back after the last one."""

    __slots__ = ("__array_interface__", "owner")


class _Result:
    __slots__ = ("tensor", "free")

    def __init__(self, tensor):
        self.tensor = tensor
        self.free = _free  # the module's own name is gone when the interpreter ends

    def __del__(self):
        self.free(self.tensor)

    def array(self, address, shape, dtype):
        view = _View()
        view.owner = self
        view.__array_interface__ = {"version": 3, "shape": shape, "typestr": dtype.str, "data": (address, False)}
        return np.asarray(view)


_RESULT, _RESULT_KIND, _RESULT_LEVELS = _TENSORS[0]
_RESULT_ORDER = len(_RESULT_LEVELS)
_RESULT_MODES = tuple(mode for _, mode, _ in _RESULT_LEVELS)
_INVERSE = tuple(int(at) for at in np.argsort(_RESULT_MODES))
_PLAIN = _RESULT_MODES == tuple(range(_RESULT_ORDER))
_LISTS = {"csr": ("indptr", "indices"), "csc": ("indptr", "indices"), "coo": ("row", "col")}
_WIDTHS = (np.dtype(np.int32), np.dtype(np.int64))
_NAMES = [spec[0] for spec in _TENSORS[1:]]
_KEYS = set(_NAMES)
_OPERANDS = [(spec[0], _operand(number + 1, *spec)) for number, spec in enumerate(_TENSORS[1:])]
_HEAD = struct.Struct(f"=4i{_MODES}qQq{'QqQq' * _MODES}")
_OUT = struct.Struct(f"=4i{_RESULT_ORDER}q{8 * (_MODES - _RESULT_ORDER)}xQq")
_SIZES = struct.Struct(f"={_MODES}q")
_MATRICES = [spec[0] for spec in _TENSORS[1:] if spec[1] in ("csr", "csc", "coo")]
_LISTED = [spec[0] for spec in _TENSORS[1:] if spec[1] == "coo"]


def _shape(tensors):
    shape = []
    for operand, mode in _SHAPE:
        shape.append(mode if operand < 0 else _SIZES.unpack_from(tensors, operand * _TENSOR_BYTES + 16)[mode])
    return tuple(shape)


def _failed(code):
    def named(found):
        array, level, name = found.groups()
        kind = next(spec[1] for spec in _TENSORS if spec[0] == name)
        if kind not in _LISTS:
            return found.group()
        return f"{_LISTS[kind][array == 'crd' and (kind != 'coo' or level == '1')]} of {name}"

    message = _message().decode("utf-8", "replace")
    return Error(re.sub(r"\b(pos|crd) of level (\d+) of (\w+) \(.*?\)(?= )", named, message), code)


def _room(tensors, out):
    """An array for a dense result, or None if the library makes it."""
    if out is None:
        shape = _shape(tensors)
        size = _DTYPE.itemsize
        for extent in shape:
            size *= extent
        if size >= _SMALL and not _ADDS:
            return None
        room = (np.zeros if _ADDS else np.empty)([shape[mode] for mode in _RESULT_MODES], _DTYPE)
    else:
        if not isinstance(out, np.ndarray) or out.dtype != _DTYPE or out.ndim != _RESULT_ORDER:
            found = f"{out.dtype} with {_modes(out.ndim)}" if isinstance(out, np.ndarray) else _kind(out)
            raise Error(f"out is {found}, expected a NumPy array of {_DTYPE} with {_modes(_RESULT_ORDER)}")
        shape = out.shape
        room = out if _PLAIN else out.transpose(_RESULT_MODES)
        if not room.flags.carray:
            raise Error("out is not contiguous in its mode order, aligned and writeable")
    _OUT.pack_into(tensors, 0, _RESULT_ORDER, _TYPE, 0, 0, *shape, _address(room), room.size)
    return room


@functools.lru_cache(maxsize=8)
def _empty(made, shape):
    """A matrix without entries, of which results are copies: SciPy takes longer to make one than a small product."""
    return made(shape, dtype=_DTYPE)


def _sparse_result(tensors, operands):
    tensor = _Tensor.from_buffer_copy(tensors)
    owner = _Result(tensor)
    head = _HEAD.unpack_from(tensor)
    shape = head[4:4 + _RESULT_ORDER]
    width = _WIDTHS[head[2] == 64]
    vals = owner.array(head[4 + _MODES], (head[5 + _MODES],), _DTYPE)
    pos, crd = [], []
    for level, (kind, _, _) in enumerate(_RESULT_LEVELS):
        at = 6 + _MODES + 4 * level
        pos.append(owner.array(head[at], (head[at + 1],), width) if kind == 1 else None)
        crd.append(owner.array(head[at + 2], (head[at + 3],), width) if kind else None)
    if _RESULT_KIND == "levels" or _sparse is None:
        return Tensor(shape, pos, crd, vals, _RESULT_MODES)
    new = not _MATRICES or hasattr(_sparse, "sparray") and any(
        isinstance(operands[name], _sparse.sparray) for name in _MATRICES)
    made = getattr(_sparse, _RESULT_KIND + ("_array" if new else "_matrix"))
    if _RESULT_KIND == "coo":
        result = made((vals, (crd[0], crd[1])), shape=shape, copy=False)
    else:
        # Set one by one: SciPy's constructor looks at all 64-bit indices, and may copy them.
        result = copy.copy(_empty(made, shape))
        result.data, result.indices, result.indptr = vals, crd[1], pos[1]
        result.has_sorted_indices = _ORDERED
    result.has_canonical_format = _ORDERED
    return result


def _shown(value):
    """A value in an error: an array has many numbers, in several lines."""
    return _kind(value) if getattr(value, "ndim", 0) else repr(value)


def _threads(value):
    try:
        count = operator.index(value)
    except TypeError:
        count = -1
    if count < 0:
        raise Error(f"threads is {_shown(value)}, expected a number of threads, or 0 for the default")
    return min(count, _MOST_THREADS)


def _truth(name, value):
    if getattr(value, "ndim", 0):
        raise Error(f"{name} is {_shown(value)}, expected True or False")
    return bool(value)


def run(*, out=None, threads=0, check=False, **operands):
    """Computes the statement and returns its result.

    Operands are given by name. out: where a dense result goes; with += or -=, what it is added to.
    threads: how many to use, 0 for the default. check: look at every index of the operands first. Without it
    their order is not looked at, and long lists of coordinates only when a call sees the array for the first time.

    Raises Error for operands that do not fit, MemoryError where there is no memory.
    """
    if operands.keys() != _KEYS:
        missing = [name for name in _NAMES if name not in operands]
        wrong = [f"the operand {name} is missing" for name in missing]
        wrong += [f"there is no operand {name}" for name in operands if name not in _KEYS]
        raise Error(f"{', '.join(wrong)}; the operands are {', '.join(_NAMES)}", 10)
    threads, check = _threads(threads), _truth("check", check)
    for name in _LISTED:
        if not getattr(operands[name], "has_canonical_format", True):
            check = True
    while True:
        tensors = _Tensors()
        keep = []
        look, unseen = int(check), []
        for number, (name, bind) in enumerate(_OPERANDS):
            lists = bind(tensors, operands[name], keep)
            if lists:
                look |= 2 << number
                unseen += lists
        room = None
        if _RESULT_KIND == "dense":
            room = _room(tensors, out)
        elif out is not None:
            raise Error("the result is sparse: it cannot be made in out")
        code = _call(tensors, threads, look)
        if code != _NOT_SORTED or not _sorted(operands):
            break
    if code:
        raise MemoryError(_message().decode()) if code == 1 else _failed(code)
    for of in unseen:
        _look_later(*of)
    if _RESULT_KIND != "dense":
        return _sparse_result(tensors, operands)
    if out is not None:
        return out
    if room is None:
        owner = _Result(_Tensor.from_buffer_copy(tensors))
        head = _HEAD.unpack_from(owner.tensor)
        sizes = [head[4 + mode] for mode in _RESULT_MODES]
        room = owner.array(head[4 + _MODES], tuple(sizes), _DTYPE)
    if _RESULT_ORDER == 0:
        return room[()]
    return room if _PLAIN else room.transpose(_INVERSE)


def _sorted(operands):
    """Sorts coordinate lists, as SciPy makes them in any order; whether there was one."""
    changed = False
    for name in _LISTED:
        if not operands[name].has_canonical_format:
            operands[name] = operands[name].copy()
            operands[name].sum_duplicates()
            changed = True
    return changed
