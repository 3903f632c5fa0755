"""Times weft.eval beside SciPy on matrices of files: beside_scipy.py ROUNDS FILE... Prints a table for it/measured.

Weft on one thread, Weft on two threads and SciPy take turns; medians count. SciPy uses one thread. Each result
is compared with SciPy's first. The last matrix is so small that its times are those of the call itself.
"""

import os
import statistics
import sys
import time

import numpy as np
import scipy.io
import scipy.sparse as sp

import weft

COLUMNS = 32


def seconds(action):
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def agree(found, expected):
    if sp.issparse(found):
        assert abs(found - expected).max() <= 1e-9 * abs(expected).max()
    else:
        assert np.allclose(found, expected)


def products(A):
    """Name, statement, operands and SciPy's program of each product."""
    rng = np.random.default_rng(1)
    x = rng.random(A.shape[1])
    D = rng.random((A.shape[1], COLUMNS))
    yield "A @ x", "y(i) = A(i,j) * x(j)", {"A": A, "x": x}, lambda: A @ x
    yield "A @ D", "C(i,k) = A(i,j) * D(j,k)", {"A": A, "D": D}, lambda: A @ D
    yield "A @ A", "C(i,k) = A(i,j) * A(j,k)", {"A": A}, lambda: A @ A


def row(kernel, workload, rounds, statement, operands, scipy):
    def weft_on(threads):
        return weft.eval(statement, threads=threads, **operands)

    agree(weft_on(1), scipy())
    turns = (lambda: weft_on(1), lambda: weft_on(2), scipy)
    repeats = max(1, round(0.02 / seconds(scipy)))
    times = [[] for _ in turns]
    for _ in range(rounds):
        for taken, turn in zip(times, turns):
            taken.append(seconds(lambda: [turn() for _ in range(repeats)]) / repeats)
    one, two, peer = (1e3 * statistics.median(taken) for taken in times)
    figures = [f"{value:.3g}" for value in (one, two, peer)]
    print(kernel, workload, "SciPy", *figures, f"{peer / one:.2f}", f"{peer / two:.2f}", sep="\t", flush=True)


print("kernel", "workload", "peer", "ms_1", "ms_2", "peer_ms", "ratio_1", "ratio_2", sep="\t")
matrices = {os.path.basename(path): scipy.io.mmread(path).tocsr() for path in sys.argv[2:]}
matrices["4 x 4"] = sp.csr_matrix(np.eye(4))
for workload, matrix in matrices.items():
    for product in products(matrix):
        row(product[0], workload, int(sys.argv[1]), *product[1:])
