"""weft.eval against NumPy and SciPy. Prints done. With the argument all, in every pair of formats and types."""

import os
import subprocess
import sys

import numpy as np
import scipy.sparse as sp

import weft

rng = np.random.default_rng(1)
A = sp.random(60, 50, 0.1, "csr", random_state=1)
B = sp.random(50, 40, 0.1, "csr", random_state=2)
D = rng.random((50, 8))
x = rng.random(50)


def some(cases, number):
    """All of the cases with the argument all; else one, another for each number."""
    return cases if "all" in sys.argv else cases[number % len(cases):][:1]


def fails(words, action):
    try:
        action()
    except weft.Error as e:
        assert words in str(e), e
    else:
        raise AssertionError("no error")


for threads in (0, 1):
    assert np.allclose(weft.eval("y(i) = A(i,j) * x(j)", A=A, x=x, threads=threads), A @ x)
C = weft.eval("C(i,k) = A(i,j) * B(j,k)", A=A, B=B)
assert C.format == "csr" and abs(C - A @ B).max() < 1e-12
assert C.has_sorted_indices and (np.diff(C.indices)[np.diff(np.repeat(np.arange(60), np.diff(C.indptr))) == 0] > 0).all()
assert weft.eval("C(i,k) = A(i,j) * B(j,k)", A=A.tocsc(), B=B.tocsc()).format == "csc"
dense = weft.eval("C(i,k) = A(i,j) * B(j,k)", A=A, B=B, format="Dense")
assert isinstance(dense, np.ndarray) and np.allclose(dense, (A @ B).toarray())
assert np.allclose(weft.eval("C(i,k) = A(i,j) * D(j,k)", A=A, D=D), A @ D)
assert np.allclose(weft.eval("y(i) = a * A(i,j) * x(j)", A=A, x=x, a=2.0), 2 * (A @ x))
assert np.isclose(weft.eval("s = A(i,j) * A(i,j)", A=A), (A.data**2).sum())
single = weft.eval("y(i) = A(i,j) * x(j)", A=A.astype(np.float32), x=x.astype(np.float32))
assert single.dtype == np.float32
out = np.empty(60)
assert weft.eval("y(i) = A(i,j) * x(j)", A=A, x=x, out=out) is out and np.allclose(out, A @ x)
fails("WEFT-101", lambda: weft.eval("y(i) = A(i,j * x(j)", A=A, x=x))
fails("expected a statement", lambda: weft.eval("A @ x", A=A, x=x))
M = sp.random(60, 40, 0.3, "csr", random_state=3)
masked = (A @ B).toarray() * (M.toarray() != 0)
for mask, right in (("<M>", B), (" <M(i,k)> ", B), ("<M(i,k), push>", B), ("<M, pull>", B.tocsc())):
    for kept in (M, M.tocoo()):
        found = weft.eval(f"C(i,k){mask} = A(i,j) * B(j,k)", A=A, B=right, M=kept)
        assert found.format == "csr" and np.allclose(found.toarray(), masked) and found.nnz <= M.nnz
total = np.ones((60, 40))
weft.eval("C(i,k)<M> += A(i,j) * B(j,k)", A=A, B=B, M=M, format="Dense", out=total)
assert np.allclose(total, 1 + masked)
fails("in Python csr_array(M)", lambda: weft.eval("C(i,k)<M> = A(i,j) * B(j,k)", A=A, B=B, M=M.toarray()))
fails("the operand M is missing", lambda: weft.eval("C(i,k)<M> = A(i,j) * B(j,k)", A=A, B=B))
fails("M has size 50, expected 60", lambda: weft.eval("C(i,k)<M> = A(i,j) * B(j,k)", A=A, B=B, M=M[:50]))
whole = (9 * A).astype(np.int64)
typed = ((whole, x), (A, (9 * x).astype(np.int32)), (A, x.astype(np.float32)), (whole.astype(np.int32), x.astype(np.float32)), (whole, (9 * x).astype(np.int32)), (whole.astype(np.int8), (9 * x).astype(np.int32)))
for number, (values, vector) in enumerate(typed):
    for matrix in some((values, values.tocoo(), values.toarray()), number):
        found = weft.eval("y(i) = A(i,j) * x(j)", A=matrix, x=vector)
        assert found.dtype == np.result_type(values.dtype, vector.dtype), found.dtype
        assert np.allclose(found, values.astype(found.dtype) @ vector.astype(found.dtype))
links = (A != 0)  # of truth values
for values, factor, expected in (
    (whole, 0.5, np.float64),
    (whole, 2.0, np.float64),
    (whole, 2, np.int64),
    (A.astype(np.float32), 0.5, np.float32),
    (links, np.int64(3), np.int64),
    (links, np.float32(3), np.float32),
):
    found = weft.eval("C(i,j) = a * A(i,j)", A=values, a=factor)
    assert found.dtype == expected, (found.dtype, values.dtype, factor)
    assert np.allclose(found.toarray(), factor * values.toarray())
# Numbers with a point or an exponent, functions and divisions make fractions of integers as in NumPy.
for vector in (np.arange(5), np.arange(5, dtype=np.int32), np.arange(5) % 2 == 0):
    for statement, expected in (
        ("y(i) = 1.5 * x(i)", 1.5 * vector),
        ("y(i) = .5*x(i)", 0.5 * vector),
        ("y(i) = x(i) + 5e-1", vector + 0.5),
        ("y(i) = 1E1*x(i)", 1e1 * vector),
        ("y(i) = sqrt(x(i))", np.sqrt(vector.astype(float))),
        ("y(i) = exp (x(i))", np.exp(vector.astype(float))),
        ("y(i) = x(i) / 2", vector / 2),
        ("y(i) = x(i)/(x(i) + 3)", vector / (vector + 3)),
    ):
        found = weft.eval(statement, x=vector)
        assert found.dtype == np.float64 and np.allclose(found, expected), (statement, found)
assert weft.eval("y1e5(i) = 3 * x2(i)", x2=np.arange(5)).dtype == np.int64
assert weft.eval("y(i) = 1.5 * x(i)", x=np.ones(5, np.float32)).dtype == np.float32
for vector in ([0.5] * 50, tuple(range(50)), np.ones(50, bool)):
    for values in (whole, links.astype(np.int32), A):
        found = weft.eval("y(i) = A(i,j) * x(j)", A=values, x=vector)
        assert np.allclose(found, values @ np.asarray(vector)), (values.dtype, vector)
for vector in (x, x.astype(np.float32), (9 * x).astype(np.int64)):
    found = weft.eval("y(i) = A(i,j) * x(j)", A=links, x=vector)
    assert found.dtype == vector.dtype and np.allclose(found, links @ vector)
# Values of other types are computed in the narrowest type that has them all.
for number, (narrow, wide) in enumerate((
    ("bool", np.int32), ("int8", np.int32), ("uint8", np.int32), ("int16", np.int32), (">i2", np.int32), ("uint16", np.int32),
    ("uint32", np.int64), ("float16", np.float32),
)):
    limits = [True] if narrow == "bool" else np.finfo(narrow) if narrow == "float16" else np.iinfo(narrow)
    vector = np.array(limits if narrow == "bool" else [limits.min, limits.max, 1, 0], narrow)
    row = sp.csr_array([vector.astype(wide)])
    row.data = row.data.astype(narrow)
    for statement, operands, expected in some((
        ("y(i) = x(i) * z(i)", {"x": vector, "z": np.ones(len(vector), bool)}, vector),
        ("s = x(i)", {"x": vector}, vector.sum(dtype=wide)),
        ("C(i,j) = A(i,j)", {"A": row}, vector),
    ), number):
        found = weft.eval(statement, **operands)
        assert found.dtype == wide, (narrow, statement, found.dtype)
        found = found.toarray() if sp.issparse(found) else found
        assert np.array_equal(np.ravel(found), np.ravel(expected).astype(wide)), (narrow, statement, found)
counts = links[:50].toarray().astype(np.int32)
assert np.array_equal(weft.eval("C(i,k) = A(i,j) * A(j,k)", A=links[:50]).toarray(), counts @ counts)
for narrow in (np.uint64, np.longdouble):
    fails(f"found x of {np.dtype(narrow)}", lambda: weft.eval("y(i) = x(i)", x=np.ones(3, narrow)))
fails("out is float32 with 1 mode, expected a NumPy array of float64 with 1", lambda: weft.eval("y(i) = A(i,j) * x(j)", A=A, x=x, out=np.empty(60, np.float32)))
fails("found A of float64, x of complex128: convert with astype, such as A.astype", lambda: weft.eval("y(i) = A(i,j) * x(j)", A=A, x=x.astype(np.complex128)))
fails("convert it with tocsr", lambda: weft.eval("y(i) = A(i,j) * x(j)", A=A.todia(), x=x))
try:
    import weft.ml
    raise AssertionError("there is no PySpark here")
except ModuleNotFoundError as e:
    assert e.name == "pyspark" and "expected PySpark, found none: start the program with" in str(e), e
fails("x has", lambda: weft.eval("y(i) = A(i,j) * x(j)", A=A, x=D))
assert np.allclose(weft.eval("Y(i,k) = x(i)", x=x, sizes={"k": 3}), np.outer(x, np.ones(3)))
fails("sizes={'k': N}", lambda: weft.eval("Y(i,k) = x(i)", x=x))
fails("expected sizes by label", lambda: weft.eval("Y(i,k) = x(i)", x=x, sizes=3))
fails("at least 0, found -1", lambda: weft.eval("Y(i,k) = x(i)", x=x, sizes={"k": -1}))
for size in True, 2**63:
    fails("expected sizes by label", lambda: weft.eval("Y(i,k) = x(i)", x=x, sizes={"k": size}))
for ragged in [[1, 2], [3]], ([1.0], [2.0, 3.0]):
    fails("B is a list whose rows are of different lengths", lambda: weft.eval("Y(i,j) = x(i) * B(i,j)", x=x, B=ragged))
fails("b is a list with values that are no numbers of 64 bits", lambda: weft.eval("Y(i) = x(i) * b(i)", x=x, b=[2**70, 1]))

# No loop serves these operands as they are stored: Weft copies some to another order, at each call.
square = sp.random(40, 40, 0.1, "csr", random_state=5)
other = sp.random(40, 40, 0.1, "csr", random_state=6)
pairs = (("csr", "csc"), ("coo", "csc"), ("csr", "csr"))
for pair, (one, two) in enumerate(pairs):
    for number, (statement, expected) in enumerate((
        ("C(i,j) = P(i,j) + Q(i,j)", square + other),
        ("C(i,j) = P(i,j) - 2 * P(j,i)", square - 2 * square.T),
        ("C(j,i) = P(i,j) * Q(i,j)", square.multiply(other).T),
        ("C(i,j)<P> = Q(i,j) + Q(j,i)", (other + other.T).multiply(square != 0)),
        ("C(i,k) = P(i,j) * Q(j,k) + Q(k,j) * P(i,j)", square @ other + square @ other.T),
        ("y(i) = P[i, j] * P[j, i] + Q[j, i]", square.multiply(square.T).sum(1).A1 + other.sum(0).A1),
    )):
        if "all" not in sys.argv and number % len(pairs) != pair:
            continue
        for times in (1, 3):
            matrices = {"P": (square * times).asformat(one), "Q": (other * times).asformat(two)}
            matrices = {name: value for name, value in matrices.items() if name in statement}
            found = weft.eval(statement, **matrices)
            dense = {name: value.toarray() for name, value in matrices.items() if f"<{name}>" not in statement}
            once = weft.eval(statement, **{**matrices, **dense})
            assert sp.issparse(found) == ("C" in statement), statement
            assert np.allclose(found.toarray() if sp.issparse(found) else found, once), (one, two, statement)
            assert times > 1 or np.allclose(once, expected.toarray() if sp.issparse(expected) else expected), statement

# All operands are sparse, so the result is, whatever stands around them.
a = A.toarray()
for text, names, expected in (
    ("C(i,j) = abs(A(i,j))", "A", abs(a)),
    ("C(i,j) = max(A(i,j), A(i,j))", "A", a),
    ("C(i,j) = sum(k, A(i,k) * B(k,j))", "AB", a @ B.toarray()),
    ("C(j,i) = transpose(A(i,j),{j,i})", "A", a.T),
    ("C(i,j) = s * A(i,j)", "As", 2 * a),
):
    found = weft.eval(text, **{name: {"A": A, "B": B, "s": 2}[name] for name in names})
    assert sp.issparse(found) and np.allclose(found.toarray(), expected), text

for command, words in (
    ("/no/such/weft", "cannot start the command /no/such/weft"),
    ("/bin/false", "ended with status 1"),
    ("/bin/echo", "is not Weft's"),
):
    program = "import weft\ntry: weft.eval('s = 3')\nexcept weft.Error as e: print(e)"
    said = subprocess.run([sys.executable, "-c", program], env={**os.environ, "WEFT_COMMAND": command}, capture_output=True, text=True)
    assert words in said.stdout and not said.stderr, said
print("done")
