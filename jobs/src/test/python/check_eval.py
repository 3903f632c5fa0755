"""weft.eval against NumPy and SciPy. Prints done."""

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
    except ValueError as e:
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
fails("operands of one type", lambda: weft.eval("y(i) = A(i,j) * x(j)", A=A, x=x.astype(np.float32)))
fails("convert it with tocsr", lambda: weft.eval("y(i) = A(i,j) * x(j)", A=A.todia(), x=x))
fails("x has", lambda: weft.eval("y(i) = A(i,j) * x(j)", A=A, x=D))
print("done")
