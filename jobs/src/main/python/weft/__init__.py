"""Weft for Python.

    from weft.ml import Cp                       # with PySpark
    model = Cp(modeCols=["user", "item", "week"], valueCol="count", rank=16).fit(df)
"""
