"""The module `lift` itself: its names, and what it needs."""

import subprocess
import sys

import lift


def test_the_version_is_that_of_the_program():
    said = subprocess.run([lift.compiler.executable(), "--version"], capture_output=True, text=True, check=True).stdout
    assert said.split()[1] == lift.__version__


def test_what_tab_completion_shows_is_there():
    assert "__version__" in dir(lift) and "annotations" not in dir(lift)
    # In a new process, in which nothing is imported yet.
    check = "import lift; print(all(hasattr(lift, name) for name in dir(lift)), lift.dask.Blocks)"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout == "True <class 'lift.blocks.Blocks'>\n"


def test_without_dask_its_package_is_asked_for():
    check = (
        "import sys; sys.modules['dask'] = None; import lift\n"
        "f = lift.source('(lift f (N) ((array-type int N)) (lambda (xs) xs))').f\n"
        "for use in (lambda: f.spread([1]), lambda: f.on('opencl:0,1')([1]), lambda: lift.dask):\n"
        "    try: use()\n"
        "    except (lift.LiftError, AttributeError) as problem: print(str(problem)[-30:])\n"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["pip install 'lift-lang[dask]'".rjust(30)] * 3
