"""What a line says by itself is known by the forms of common tools."""

from __future__ import annotations

import pytest

from fsm_agent.context.noise import mark

NOISE = [
    "tests/test_cart.py::test_many[3] PASSED                      [ 12%]",
    "tests/test_cart.py ......s....                               [ 12%]",
    "[gw0] [ 10%] PASSED tests/test_cart.py::test_many[3]",
    "test tests::errors::fails_on_bad_input ... ok",
    "test_error (tests.test_cart.CartTest.test_error) ... ok",
    "=== RUN   TestError/failed",
    "    --- PASS: TestError/failed (0.00s)",
    "ok  \texample.com/cart\t0.004s",
    "ok  \texample.com/cart\t(cached)",
    "?   \texample.com/cart\t[no test files]",
    "    ✓ tells of errors (2 ms)",
    "ok 12 - tells of errors",
    "[       OK ] Cart.Error (0 ms)",
    "        PASS [   0.005s] cart tests::error",
    "   Compiling thiserror v2.0.1",
    "gcc -O2 -Werror -c src/error.c -o build/error.o",
    "/usr/bin/x86_64-linux-gnu-g++-13 -c error.cc",
    "  CC [M]  drivers/error.o",
    "[ 45%] Building CXX object src/error.cc.o",
    "[12/300] Linking target error",
    "make[2]: Entering directory '/home/somebody/error'",
    "-- Looking for error.h - found",
    "[INFO] Downloading from central: https://repo.example/error.pom",
    "[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in a.ErrorTest",
    "> Task :compileJava UP-TO-DATE",
    "Requirement already satisfied: exceptions in /home/somebody/venv",
    "     ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 12.0/12.0 kB 5.1 MB/s eta 0:00:00",
    "npm http fetch GET 200 https://registry.example/error 12ms (cache hit)",
    "Setting up liberror-perl (0.17029-2) ...",
    " 45%|████▌     | 45/100 [00:10<00:12,  3.91it/s]",
    "Downloading model: 45% of 1.2 GB",
]
ERRORS = [
    "tests/test_cart.py::test_total FAILED                        [ 12%]",
    "FAILED tests/test_cart.py::test_total - assert 3 == 4",
    "tests/test_cart.py F.......                                  [ 12%] failed",
    "test tests::total ... FAILED",
    "--- FAIL: TestTotal (0.00s)",
    "not ok 12 - totals",
    "  ✕ adds totals (4 ms)",
    "src/cart.ts(3,5): error TS2322: Type 'string' is not assignable",
    "pkg/a.py:3: error: Incompatible types",
    "src/error.c:31:12: error: 'code' undeclared",
    "/usr/bin/ld: main.o: undefined reference to `total'",
    "make: *** [Makefile:5: all] Error 2",
    "error[E0308]: mismatched types",
    "thread 'main' panicked at src/main.rs:2:5:",
    "ValueError: bad",
    "Traceback (most recent call last):",
    "npm ERR! code ELIFECYCLE",
    "bash: cargo: command not found",
    "Segmentation fault (core dumped)",
    "> Task :test FAILED",
]
ORDINARY = [
    "x is 3",
    "",
    "    indented",
    "Warning: 95% of the disk is used",
    "cart/totals.py      120      3    97%   14-16",
    "kind  ████████ 45%",
    "0 errors, 0 failures",
    "a.py:3: DeprecationWarning: old",
    "...",
    "s",
]


@pytest.mark.parametrize("line", NOISE)
def test_noise_is_known_whatever_it_names(line: str) -> None:
    assert mark(line) in ("passed", "step")


@pytest.mark.parametrize("line", ERRORS)
def test_errors_are_known(line: str) -> None:
    assert mark(line) == "error"


@pytest.mark.parametrize("line", ORDINARY)
def test_what_only_looks_like_noise_or_errors_is_neither(line: str) -> None:
    assert mark(line) in ("plain", "warning")
