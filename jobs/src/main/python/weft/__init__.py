"""Weft for Python.

    import weft
    y = weft.eval("y(i) = A(i,j) * x(j)", A=scipy_matrix, x=numpy_vector)

    from weft.ml import Cp                       # with PySpark
    model = Cp(modeCols=["user", "item", "week"], valueCol="count", rank=16).fit(df)

`eval` needs NumPy, SciPy for sparse matrices, and the `weft` command. `weft.ml` needs PySpark and Weft's jars.
"""

__all__ = ["Error", "eval"]


def __getattr__(name):
    """NumPy is loaded when it is needed."""
    if name not in __all__:
        raise AttributeError(f"module weft has no attribute {name!r}")
    from weft import _kernels

    globals().update(eval=_kernels.eval, Error=_kernels.Error)
    return globals()[name]
