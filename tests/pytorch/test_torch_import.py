"""Without PyTorch: ``import sigprop`` does not ask for it, ``sigprop.torch`` says what to do."""

import subprocess
import sys

WITHOUT = "import sys; sys.modules['torch'] = None; "


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)


def test_sigprop_never_imports_torch():
    code = (
        "import sys, sigprop, sigprop.initialization, sigprop.plots, sigprop.auditing, sigprop.cli"
    )
    done = run(f"{code}; print('torch' in sys.modules)")
    assert done.stdout == "False\n"


def test_one_line_says_how_to_install_it():
    done = run(WITHOUT + "import sigprop.torch")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last == (
        "ImportError: sigprop.torch needs PyTorch, which is not installed: "
        "pip install 'sigprop[torch]'"
    )


def test_the_rest_works_without_it():
    done = run(WITHOUT + "import sigprop; print(sigprop.exact.rnn_energy(5, 3))")
    assert done.stdout == "6/5\n"
