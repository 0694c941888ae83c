"""Prints who uses most in a run, as `hkpd top --format csv` does: the values are data."""
import sys

import hkpd

columns = ["machine", "object", "parent", "instance", "pid", "counter", "count", "mean", "p95", "max", "last"]
hkpd.top(sys.argv[1:]).to_csv(sys.stdout, columns=columns, index=False)
