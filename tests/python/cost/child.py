"""The process under valgrind: runs plans, given the path of the native module.

It imports nothing else of dupack, because valgrind is slow.
"""

import importlib.util
import sys
from pathlib import Path

spec = importlib.util.spec_from_file_location("dupack._native", sys.argv[1])
assert spec
assert spec.loader
native = importlib.util.module_from_spec(spec)
spec.loader.exec_module(native)
for path in sys.argv[2:]:
    jobs = iter([(native.Plan(Path(path).read_bytes(), path, []), 0, 1)])
    native.run_all(lambda jobs=jobs: next(jobs, None), 1, False, lambda *_: None)
