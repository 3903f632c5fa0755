"""Compares the modules in the folder argv[1] with NumPy and SciPy. Prints a line for each case."""

import gc
import importlib
import multiprocessing
import sys
import threading
import traceback

import numpy as np
import scipy.sparse as sp

sys.path.insert(0, sys.argv[1])
rng = np.random.default_rng(7)


def matrix(rows, columns, density=0.05, kind="csr", dtype=np.float64, index=np.int32):
    made = sp.random(rows, columns, density, kind, dtype, random_state=rng)
    for name in ("indices", "indptr"):
        if hasattr(made, name):
            setattr(made, name, getattr(made, name).astype(index))
    return made


def close(found, expected):
    found = found.toarray() if hasattr(found, "toarray") else found
    expected = expected.toarray() if hasattr(expected, "toarray") else expected
    assert np.shape(found) == np.shape(expected), (np.shape(found), np.shape(expected))
    np.testing.assert_allclose(found, expected, rtol=1e-5 if np.asarray(found).dtype == np.float32 else 1e-12)


def refused(call, *words, code=None):
    try:
        call()
    except ValueError as e:
        assert type(e).__name__ == "Error", e
        assert "\n" not in str(e) and all(word in str(e) for word in words), e
        assert code is None or e.code == code, (e.code, str(e))
        return
    raise AssertionError(f"expected an error with {words}")


def spmv(k):
    for index in (np.int32, np.int64):
        A, x = matrix(700, 300, index=index), rng.random(300)
        for threads in (0, 1, 2):
            close(k.run(A=A, x=x, threads=threads), A @ x)
        close(k.run(A=sp.csr_array(A), x=x, check=True), A @ x)
    out = np.full(700, np.nan)
    assert k.run(A=A, x=x, out=out) is out
    close(out, A @ x)
    close(k.run(A=A, x=rng.random(600)[::2]).shape, (700,))
    x.flags.writeable = False
    close(k.run(A=A, x=x), A @ x)
    for rows, columns in ((0, 5), (5, 0), (1, 1), (0, 0)):
        A, x = sp.csr_matrix((rows, columns)), rng.random(columns)
        close(k.run(A=A, x=x), A @ x)
    mixed = matrix(50, 40)
    mixed.indices = mixed.indices.astype(np.int64)
    close(k.run(A=mixed, x=np.ones(40)), mixed @ np.ones(40))
    spare = matrix(50, 40)
    expected = spare @ np.ones(40)
    spare.data = np.append(spare.data, [9.0, 9.0])
    spare.indices = np.append(spare.indices, np.int32([1, 2]))
    close(k.run(A=spare, x=np.ones(40)), expected)
    twice = sp.csr_matrix((np.ones(4), np.int32([3, 1, 1, 0]), np.int32([0, 3, 4])), shape=(2, 4))
    close(k.run(A=twice, x=np.arange(4.0)), twice @ np.arange(4.0))
    assert twice.nnz == 4


def spmv_errors(k):
    A, x = matrix(70, 30), rng.random(30)
    refused(lambda: k.run(A=A), "x is missing", code=10)
    refused(lambda: k.run(A=A, z=x), "x is missing, there is no operand z", code=10)
    refused(lambda: k.run(A=A, x=x, z=x), "no operand z", code=10)
    refused(lambda: k.run(A=A.tocsc(), x=x), "A is a CSC", "CSR", "tocsr() converts it")
    refused(lambda: k.run(A=A.toarray(), x=x), "A is an ndarray", "scipy.sparse.csr_array makes one")
    refused(lambda: k.run(A=None, x=x), "A is a NoneType")
    refused(lambda: k.run(A=5, x=x), "A is an int")
    refused(lambda: k.run(A=A, x=A), "x is a CSR", "NumPy array")
    refused(lambda: k.run(A=A, x=None), "x has ")
    refused(lambda: k.run(A=A, x=[[1], [1, 2]]), "x is a list")
    refused(lambda: k.run(A=A, x=rng.random(31)), "mode 0 of x has size 31, expected 30", code=12)
    refused(lambda: k.run(A=A, x=rng.random((30, 1))), "x has 2 modes, expected 1")
    for kind in (np.float32, np.int64, np.int8, np.uint16):
        whole, vector = (9 * A).astype(kind), (9 * x).astype(kind)
        close(k.run(A=whole, x=x), whole.toarray() @ x)
        close(k.run(A=A, x=vector), A @ vector)
    close(k.run(A=A, x=x.astype(">f8")), A @ x)
    refused(lambda: k.run(A=A, x=x.astype(np.complex128)), "x has values of complex128, expected float64")
    close(k.run(A=A.astype(bool), x=x), A.astype(bool) @ x)
    refused(lambda: k.run(A=A, x=x, out=np.ones(69)), "y has size 69, expected 70", code=12)
    refused(lambda: k.run(A=A, x=x, out=np.ones(70, np.float32)), "out is float32 with 1 mode,")
    refused(lambda: k.run(A=A, x=x, out=np.ones(140)[::2]), "out is not contiguous")
    square = matrix(30, 30)
    refused(lambda: k.run(A=square, x=x, out=x), "shares memory", code=16)
    for name, value, code in (
        ("indices", np.int32([0, 7]), 14),
        ("indices", np.int32([0, -1]), 14),
        ("indptr", np.int32([0, 3, 2]), 14),
    ):
        bad = sp.csr_matrix((np.ones(2), np.int32([0, 1]), np.int32([0, 1, 2])), shape=(2, 3))
        bad.has_canonical_format = True
        setattr(bad, name, value)
        refused(lambda: k.run(A=bad, x=np.ones(3)), f"{name} of A", code=code if name == "indices" else None)
        bad = sp.csr_matrix((np.ones(2), np.int32([0, 1]), np.int32([0, 1, 2])), shape=(2, 3))
        setattr(bad, name, value)
        refused(lambda: k.run(A=bad, x=np.ones(3)), f"{name} of A")
    bad = sp.csr_matrix((np.ones(2), np.int32([1, 0]), np.int32([0, 2])), shape=(1, 3))
    bad.has_canonical_format = True
    refused(lambda: k.run(A=bad, x=np.ones(3), check=True), "sort the entries", code=15)
    for value, words in (
        ([0, 90, 1], "indptr of A has 1 after 90, at 2 of 2"),
        ([0, -9, 1], "indptr of A has -9 after 0, at 1 of 2"),
        ([-9, 0, 1], "indptr of A goes from -9 to 1, expected 0 to 1"),
    ):
        bad = sp.csr_matrix((np.ones(1), np.int32([1]), np.int32([0, 0, 1])), shape=(2, 3))
        bad.indptr = np.int32(value)
        refused(lambda: k.run(A=bad, x=np.ones(3)), words)
    # Long lists of coordinates are looked at once for each array.
    for index in (np.int32, np.int64):
        large = sp.csr_matrix(np.ones((300, 100)))
        large.indptr, large.indices = large.indptr.astype(index), large.indices.astype(index)
        for _ in range(2):
            close(k.run(A=large, x=np.ones(100)), large @ np.ones(100))
        for value in (100, -1, 1 << 30):
            bad = large.indices.copy()
            bad[12345] = value
            large.indices = bad
            words = f"indices of A has coordinate {value} at 12345, expected 0 to 99"
            for _ in range(2):
                refused(lambda: k.run(A=large, x=np.ones(100)), words, code=14)
            bad[12345] = 45
            close(k.run(A=large, x=np.ones(100)), large @ np.ones(100))
        narrow = sp.csr_matrix((large.data, large.indices, large.indptr), shape=(300, 100))
        narrow._shape = 300, 99
        refused(lambda: k.run(A=narrow, x=np.ones(99)), "expected 0 to 98", code=14)
    for name, value, words in (
        ("indptr", np.int32([]), "indptr of A has 0 elements, expected 71"),
        ("indptr", np.zeros((71, 1), np.int32), "lists"),
        ("indptr", [0] * 71, "lists"),
        ("indptr", None, "lists"),
        ("indptr", np.zeros(71), "indices of float64"),
        ("indices", np.zeros(A.nnz, np.uint32), "indices of int32, uint32"),
        ("indices", np.int32([1]), "A has 1 indices"),
        ("data", np.ones((A.nnz, 2)), "lists"),
        ("data", np.ones(3), "3 values"),
    ):
        bad = A.copy()
        setattr(bad, name, value)
        refused(lambda: k.run(A=bad, x=x), words)
    lists = (np.int32([1, 2]), np.int32([1]), np.zeros(0, np.int32), np.ones((3, 3)), A)
    for value in (-1, 1.5, "2", None, [1], np.array(1.0), np.array(-1), *lists):
        refused(lambda: k.run(A=A, x=x, threads=value), "threads is")
    for value in lists:
        refused(lambda: k.run(A=A, x=x, check=value), "check is")
    close(k.run(A=A, x=x, threads=np.array(1), check=np.array(True)), A @ x)
    frozen = A.copy()
    for array in (frozen.indptr, frozen.indices, frozen.data):
        array.flags.writeable = False
    close(k.run(A=frozen, x=x, threads=np.int64(1), check=np.bool_(True)), A @ x)
    bad = sp.csr_matrix((np.ones(2), np.int32([1, 0]), np.int32([0, 2])), shape=(1, 3))
    bad.has_canonical_format = True
    bad.indptr = np.int32([1, 2])
    refused(lambda: k.run(A=bad, x=np.ones(3)), "goes from 1", code=11)


def spmm(k):
    A, D = matrix(400, 300), rng.random((300, 17))
    close(k.run(A=A, D=D), A @ D)
    close(k.run(A=A, D=np.asfortranarray(D)), A @ D)
    big = rng.random((300, 800))
    Y = k.run(A=A, D=big)
    rows = Y[5]
    del Y
    gc.collect()
    close(rows, (A @ big)[5])


def spgemm(k):
    for index in (np.int32, np.int64):
        A, B = matrix(300, 200, index=index), matrix(200, 250, index=index)
        C = k.run(A=A, B=B)
        assert C.format == "csr" and isinstance(C, sp.spmatrix) and C.indptr.dtype == index
        assert C.has_canonical_format and C.has_sorted_indices
        close(C, A @ B)
        assert (C - A @ B).nnz == 0 or abs(C - A @ B).max() < 1e-12
        data = C.data
        del C
        gc.collect()
        assert data.sum() > 0
    assert isinstance(k.run(A=sp.csr_array(A), B=sp.csr_array(B)), sp.sparray)
    mixed = k.run(A=matrix(30, 20), B=matrix(20, 25, index=np.int64))
    assert mixed.indptr.dtype == np.int64
    close(k.run(A=sp.csr_matrix((3, 4)), B=sp.csr_matrix((4, 0))), np.zeros((3, 0)))
    close(k.run(A=sp.csr_matrix((3, 4)), B=sp.csr_matrix((4, 5))), np.zeros((3, 5)))
    refused(lambda: k.run(A=A, B=B, out=A), "the result is sparse")
    refused(lambda: k.run(A=A, B=A), "both are j", code=12)


def sddmm(k):
    S, P, Q = matrix(120, 90), rng.random((120, 8)), rng.random((8, 90))
    close(k.run(S=S, P=P, Q=Q), S.multiply(P @ Q))


def add(k):
    A, B = matrix(200, 100), matrix(200, 100)
    close(k.run(A=A, B=B), A + B)
    close(k.run(A=A, B=-A), np.zeros((200, 100)))


def csc(k):
    A, x = matrix(90, 80, kind="csc"), rng.random(80)
    close(k.run(A=A, x=x), A @ x)
    refused(lambda: k.run(A=A.tocsr(), x=x), "CSC")


def coo(k):
    A, x = matrix(90, 80, kind="coo"), rng.random(80)
    order = rng.permutation(A.nnz)
    A = sp.coo_matrix((A.data[order], (A.row[order], A.col[order])), A.shape)
    for value in (A, sp.coo_array(A), A.tocsr().tocoo()):
        close(k.run(A=value, x=x), A @ x)
    assert np.array_equal(A.data, A.data) and not A.has_canonical_format
    for canonical in (True, False):
        for rows, columns, values in ((3, A.nnz, A.nnz), (A.nnz, 3, A.nnz), (A.nnz, A.nnz, 3)):
            bad = A.copy()
            bad.coords, bad.data = (A.row[:rows], A.col[:columns]), A.data[:values]
            bad.has_canonical_format = canonical
            refused(lambda: k.run(A=bad, x=x), f"{rows} rows, {columns} columns and {values} values")


def coo_result(k):
    A, B = matrix(60, 50, kind="coo").tocsr().tocoo(), matrix(60, 50, kind="coo").tocsr().tocoo()
    C = k.run(A=A, B=B)
    assert C.format == "coo"
    close(C, A + B)


def ttv(k):
    X = np.where(rng.random((20, 30, 40)) < 0.05, rng.random((20, 30, 40)), 0)
    v = rng.random(40)
    at = np.nonzero(X)
    for index in (np.int32, np.int64):
        T = k.pack("T", at, X[at], X.shape, index)
        Y = k.run(T=T, v=v, check=True)
        assert isinstance(Y, k.Tensor) and Y.crd[0].dtype == index
        close(Y.toarray(), X @ v)
    again = k.pack("T", [np.append(c, c[:3]) for c in at], np.append(X[at], X[at][:3]), X.shape)
    np.testing.assert_allclose(again.vals[:3], 2 * T.vals[:3])
    refused(lambda: k.run(T=X, v=v), "expected a Tensor")
    refused(lambda: k.pack("T", at, X[at], (20, 30, 2)), "coordinate from 0 to 1 in mode 2")
    for coordinates, values, shape, words in (
        ([c + 0.5 for c in at], X[at], X.shape, "coordinates of float64, expected int64"),
        (at, X[at], (20.0, 30, 40), "whole numbers as shape, found (20.0"),
        (at, X[at], None, "whole numbers as shape, found None"),
        (at, X[at] + 1j, X.shape, "values of complex128"),
        (([0], [0], [0]), 1.0, X.shape, "list of values"),
        (([], [], []), [], (2, -1, 3), "sizes from 0"),
        (np.transpose(at)[:2], X[at][:2], X.shape, "an array of coordinates for each"),
    ):
        refused(lambda: k.pack("T", coordinates, values, shape), words)
    for part in ("shape", "pos", "crd"):
        kept = getattr(T, part)
        for other in (None, [], 5):
            setattr(T, part, other)
            refused(lambda: k.run(T=T, v=v), "T has 0 modes" if part == "shape" else f"{part} of T is a")
        setattr(T, part, kept)
    for shape in ((20, 30, -1), (-20, 30, 40), (1 << 63, 30, 40)):
        T.shape, kept = shape, T.shape
        refused(lambda: k.run(T=T, v=v), "of T has size", "expected 0 to 2^63-1", code=12)
        T.shape = kept
    foreign = type("Tensor", (), {})()
    refused(lambda: k.run(T=foreign, v=v), "T is a Tensor of another module, expected a Tensor")
    T.crd[1][0] = 30
    refused(lambda: k.run(T=T, v=v), "crd of level 1 of T", "expected 0 to 29", code=14)
    T.crd[1][0] = 29
    second, T.pos[1][2] = T.pos[1][2], 0
    refused(lambda: k.run(T=T, v=v), "pos of level 1 of T", "has 0 after", code=14)
    T.pos[1][2] = second
    T.vals = T.vals[:-1]
    refused(lambda: k.run(T=T, v=v), "values, expected", code=11)
    empty = k.pack("T", ([], [], []), [], X.shape)
    close(k.run(T=empty, v=v).toarray(), np.zeros((20, 30)))


def contraction(k):
    A, B = rng.random((6, 7, 8)), rng.random((8, 7, 5))
    close(k.run(A=A, B=B), np.einsum("ijk,kjl->il", A, B))
    refused(lambda: k.run(A=A, B=A), code=12)


def columns(k):
    A, B = rng.random((6, 7)), np.asfortranarray(rng.random((6, 7)))
    C = k.run(A=A, B=B)
    assert C.flags.f_contiguous
    close(C, A + B)


def scalar(k):
    A, x, y = matrix(50, 40), rng.random(50), rng.random(40)
    close(k.run(A=A, x=x, y=y, a=2.0), 2 * (x @ A @ y))
    assert isinstance(k.run(A=A, x=x, y=y, a=np.float64(2)), np.float64)


def single(k):
    A, x = matrix(70, 60, dtype=np.float32), rng.random(60, np.float32)
    y = k.run(A=A, x=x)
    assert y.dtype == np.float32
    close(y, A @ x)
    refused(lambda: k.run(A=A, x=x.astype(np.float64)), "x has values of float64, expected float32")
    refused(lambda: k.run(A=A.astype(np.int64), x=x), "A has values of int64, expected float32")


def whole(k):
    A, x = matrix(70, 60), rng.integers(-9, 9, 60)
    A = sp.csr_matrix((rng.integers(-9, 9, A.nnz), A.indices, A.indptr), A.shape)
    assert np.array_equal(k.run(A=A, x=x), A @ x)


def adds(k):
    A, x, y = matrix(70, 60), rng.random(60), rng.random(70)
    close(k.run(A=A, x=x), A @ x)
    expected = y + A @ x
    assert k.run(A=A, x=x, out=y) is y
    close(y, expected)


def sized(k):
    a = rng.random(6)
    close(k.run(a=a), np.repeat(a[:, None], 4, axis=1))


def threads(k):
    A, x = matrix(30000, 3000, 0.01), rng.random(3000)
    expected = A @ x
    found = []
    workers = [
        threading.Thread(target=lambda: [found.append(k.run(A=A, x=x, threads=2)) for _ in range(20)])
        for _ in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 80
    for y in found:
        close(y, expected)
    child = multiprocessing.get_context("fork").Process(target=lambda: close(k.run(A=A, x=x), expected))
    child.start()
    child.join(60)
    assert child.exitcode == 0


MODULES = {"spmv_errors": "spmv", "threads": "spmv"}

for name in sys.argv[2:]:
    try:
        globals()[name](importlib.import_module("k_" + MODULES.get(name, name)))
        print(f"{name}: ok", flush=True)
    except BaseException as e:
        traceback.print_exc()
        print(f"{name}: {type(e).__name__}: {' '.join(str(e).split())}", flush=True)
