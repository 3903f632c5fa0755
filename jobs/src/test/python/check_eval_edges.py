"""weft.eval at its edges: values of other types, what is no operand, processes. Prints done."""

import multiprocessing
import os
import signal
import sys
import threading

import numpy as np
import scipy.sparse as sp

import weft

rng = np.random.default_rng(1)
A = sp.random(60, 50, 0.1, "csr", random_state=1)
a = A.toarray()
D = rng.random((50, 8))
x = rng.random(50)


def fails(words, action):
    try:
        action()
    except weft.Error as e:
        assert words in str(e), e
    else:
        raise AssertionError("no error")


# Numbers and lists of Python have no type of their own.
whole = sp.csr_array(np.array(9 * a, dtype=np.int64))
for values, number in ((A, 2), (A.astype(np.float32), 2.5), (A.astype(np.float32), 2), (whole, 2), (whole, 2.5), (whole.astype(np.int32), 2.0), (A, True)):
    found = weft.eval("y(i) = s * A(i,j) * x(j)", A=values, x=[1] * 50, s=number)
    assert found.dtype == np.result_type(values.dtype, number) and np.allclose(found, number * (values @ np.ones(50)), rtol=1e-5)
for values, number in ((whole.astype(np.int32), 1 << 40), (A.astype(np.float32), 1e300), (A, 1j)):
    fails("s has values of", lambda: weft.eval("y(i) = s * A(i,j) * x(j)", A=values, x=[1] * 50, s=number))

# What is no operand, statement, format or number of threads.
for value, words in (
    ("abc", "x is 'abc', expected a number or an array: load a file first"),
    (b"2", "x is b'2', expected a number"),
    (np.ma.masked_greater(x, 0.5), "x is a MaskedArray"),
    (sp.coo_array(x), "x is a sparse array with 1 mode,"),
    (sp.csr_array(x), "x is a sparse array with 1 mode,"),
    (None, "x has"),
    (x[:, None], "x has 2 modes"),
    (x[:-1], "has size 49, expected 50"),
):
    fails(words, lambda: weft.eval("y(i) = A(i,j) * x(j)", A=A, x=value))
assert np.allclose(weft.eval("y(i) = A(i,j) * x(j)", A=A, x=memoryview(x)), A @ x)
for value in (A, x, 2):
    fails("there is no operand z", lambda: weft.eval("y(i) = A(i,j)", A=A, z=value))
for value in (-1, 2.5, "2", None, np.int32([1, 2]), np.int32([1]), np.zeros(0, np.int32), np.array(1.0)):
    fails("threads is", lambda: weft.eval("y(i) = A(i,j) * x(j)", A=A, x=x, threads=value))
for value in (np.int64(2), 1 << 40):
    assert np.allclose(weft.eval("y(i) = A(i,j) * x(j)", A=A, x=x, threads=value), A @ x)
fails("expected texts", lambda: weft.eval(None, A=A))
fails("expected texts", lambda: weft.eval("C(i,j) = A(i,j)", A=A, format=["CSR"]))
assert np.allclose(weft.eval("y(i) = lambda(i,j) * statement(j)", **{"lambda": A, "statement": x}), A @ x)
short = A.tocoo()
short.coords = (short.coords[0][:3], short.coords[1])
fails("3 rows", lambda: weft.eval("y(i) = A(i,j) * x(j)", A=short, x=x))

# Indices out of range, wherever SciPy or a kernel would follow them.
sound = sp.csr_matrix(np.ones((3, 3)))
for changes, words in (
    ({"indptr": [0, 5, 2, 9]}, "indptr of M"),
    ({"indptr": [0, -3, 4, 9]}, "indptr of M"),
    ({"indptr": [-1, 3, 6, 9]}, "indptr of M"),
    ({"indptr": [0, 3, 6, 900]}, "M has 9 indices and 9 values, expected 900"),
    ({"indices": [0, 1, 1 << 20, 0, 1, 2, 0, 1, 2]}, "indices of M has coordinate 1048576 at 2, expected 0 to 2"),
    ({"indices": [0, -1, 2, 0, 1, 2, 0, 1, 2]}, "indices of M has coordinate -1 at 1, expected 0 to 2"),
):
    for kind in ("csr", "csc"):
        M = getattr(sp, f"{kind}_matrix")(np.ones((3, 3)))
        M.has_canonical_format = True  # otherwise some are sorted first, and are elsewhere
        for name, values in changes.items():
            setattr(M, name, np.array(values, dtype=np.int32))
        for statement in ("C(i,k) = M(i,j) * S(j,k)", "C(i,k) = S(i,j) * M(j,k)", "C(i,j) = M(i,j) + M(j,i)", "y(i) = M(i,j)"):
            others = {"S": sound.asformat(kind)} if "S" in statement else {}
            fails(words, lambda: weft.eval(statement, M=M, **others))
for name in ("row", "col"):
    M = sound.tocoo()
    M.coords = tuple(np.where(axis == 2, 3, axis) if what == name else axis for what, axis in zip(("row", "col"), M.coords))
    for statement in ("y(i) = M(i,j)", "C(i,j) = M(i,j) + M(j,i)"):
        fails(f"{name} of M has coordinate 3", lambda: weft.eval(statement, M=M))

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

# A command that something else ends while a statement waits for it starts anew. A stopped one still counts as running.
resident = weft._kernels._resident
resident.send_signal(signal.SIGSTOP)
threading.Timer(0.5, resident.kill).start()
assert np.allclose(weft.eval("z(i) = 6 * A(i,j)", A=A), 6 * A.sum(1).A1)


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
print("done")
