"""weft.eval against NumPy and SciPy. Prints done."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import scipy.sparse as sp

import weft

rng = np.random.default_rng(1)
A = sp.random(60, 50, 0.1, "csr", random_state=1)
B = sp.random(50, 40, 0.1, "csr", random_state=2)
D = rng.random((50, 8))
x = rng.random(50)


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
fails("operands of one type", lambda: weft.eval("y(i) = A(i,j) * x(j)", A=A, x=x.astype(np.float32)))
fails("convert it with tocsr", lambda: weft.eval("y(i) = A(i,j) * x(j)", A=A.todia(), x=x))
fails("x has", lambda: weft.eval("y(i) = A(i,j) * x(j)", A=A, x=D))
assert np.allclose(weft.eval("Y(i,k) = x(i)", x=x, sizes={"k": 3}), np.outer(x, np.ones(3)))
fails("sizes={'k': N}", lambda: weft.eval("Y(i,k) = x(i)", x=x))
fails("expected sizes by label", lambda: weft.eval("Y(i,k) = x(i)", x=x, sizes=3))
fails("at least 0, found -1", lambda: weft.eval("Y(i,k) = x(i)", x=x, sizes={"k": -1}))
fails("store B as CSR instead", lambda: weft.eval("C(i,j) = A(i,j) + B(i,j)", A=A, B=A.tocsc()))

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

# Numbers and lists of Python have no type of their own.
whole = sp.csr_array(np.array(9 * a, dtype=np.int64))
for values, number in ((A, 2), (A.astype(np.float32), 2.5), (A.astype(np.float32), 2), (whole, 2), (whole.astype(np.int32), 2.0)):
    found = weft.eval("y(i) = s * A(i,j) * x(j)", A=values, x=[1] * 50, s=number)
    assert found.dtype == values.dtype and np.allclose(found, number * (values @ np.ones(50)), rtol=1e-5)
for values, number in ((whole, 2.5), (whole.astype(np.int32), 1 << 40), (A.astype(np.float32), 1e300), (A, True), (A, 1j), (A, "2")):
    fails("s has values of", lambda: weft.eval("y(i) = s * A(i,j) * x(j)", A=values, x=[1] * 50, s=number))

# What is no operand, statement, format or number of threads.
for value, words in (
    ("abc", "x has"),
    (np.ma.masked_greater(x, 0.5), "x is a MaskedArray"),
    (sp.coo_array(x), "x is a sparse array with 1 modes"),
    (sp.csr_array(x), "x is a sparse array with 1 modes"),
    (None, "x has"),
    (x[:, None], "x has 2 modes"),
    (x[:-1], "has size 49, expected 50"),
):
    fails(words, lambda: weft.eval("y(i) = A(i,j) * x(j)", A=A, x=value))
assert np.allclose(weft.eval("y(i) = A(i,j) * x(j)", A=A, x=memoryview(x)), A @ x)
for value in (-1, 2.5, "2", None):
    fails("threads is", lambda: weft.eval("y(i) = A(i,j) * x(j)", A=A, x=x, threads=value))
for value in (np.int64(2), 1 << 40):
    assert np.allclose(weft.eval("y(i) = A(i,j) * x(j)", A=A, x=x, threads=value), A @ x)
fails("expected texts", lambda: weft.eval(None, A=A))
fails("expected texts", lambda: weft.eval("C(i,j) = A(i,j)", A=A, format=["CSR"]))
assert np.allclose(weft.eval("y(i) = lambda(i,j) * statement(j)", **{"lambda": A, "statement": x}), A @ x)
short = A.tocoo()
short.coords = (short.coords[0][:3], short.coords[1])
fails("3 rows", lambda: weft.eval("y(i) = A(i,j) * x(j)", A=short, x=x))

# An answer that nobody waited for is not the next one's. A build in the background ignores SIGINT.
signal.signal(signal.SIGINT, signal.default_int_handler)
timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))
timer.start()
try:
    for number in range(1000):
        weft.eval(f"y(i) = {number + 2} * A(i,j)", A=A)
    raise AssertionError("not interrupted")
except KeyboardInterrupt:
    pass
assert np.allclose(weft.eval("z(i) = 7 * A(i,j)", A=A), 7 * A.sum(1).A1)


def in_fork(queue):
    queue.put(weft.eval("y(i) = 9 * A(i,j)", A=A))


fork = multiprocessing.get_context("fork")
queue = fork.Queue()
workers = [fork.Process(target=in_fork, args=(queue,)) for _ in range(2)]
for worker in workers:
    worker.start()
for worker in workers:
    assert np.allclose(queue.get(timeout=60), 9 * A.sum(1).A1)
for worker in workers:
    worker.join()
if os.fork() == 0:
    sys.exit()  # the functions for the end run here too, and leave the parent's files alone
os.wait()
assert np.allclose(weft.eval("y(i) = 8 * A(i,j)", A=A), 8 * A.sum(1).A1)

for command, words in (
    ("/no/such/weft", "cannot start the command /no/such/weft"),
    ("/bin/false", "ended with status 1"),
    ("/bin/echo", "is not Weft's"),
):
    program = "import weft\ntry: weft.eval('s = 3')\nexcept weft.Error as e: print(e)"
    said = subprocess.run([sys.executable, "-c", program], env={**os.environ, "WEFT_COMMAND": command}, capture_output=True, text=True)
    assert words in said.stdout and not said.stderr, said
print("done")
