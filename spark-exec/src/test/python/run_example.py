"""A program of the page of examples, with a gateway in the place of PySpark's own: run_example.py PORT FILE."""

import runpy
import sys

from pyspark import SparkContext
from pyspark._gateway import Gateway

SparkContext(Gateway(int(sys.argv[1])))
runpy.run_path(sys.argv[2])
