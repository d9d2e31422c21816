"""What a line says by itself: noise, an error, a verdict.

The patterns are those of common tools: test runners, compilers, build tools, package managers.
They are kept as texts, for most runs never need them compiled.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Mark: TypeAlias = Literal["passed", "step", "error", "verdict", "warning", "plain"]
"""A test that passed, a build step or progress, an error, the end of a run, a warning, else."""

_PASSED = r"""(?x)
    .*[ ]\.\.\.[ ]ok (?:[ ]<[\d.]+s>)?                              # cargo test, unittest
  | \S+::.*[ ]PASSED \s* (?:\[\s*\d+%\])? | PASSED[ ]\S+::.*        # pytest
  | \[gw\d+\]\s+\[\s*\d+%\][ ]PASSED[ ].*
  | (?:\S+\.py[ ])? [.sx]+ \s* \[\s*\d+%\] | \.{10,}
  | \s*---[ ]PASS:[ ].* | PASS | ok\s+\S+\s+(?:\(cached\)|[\d.]+s).* | \?\s+\S+\s+\[no[ ]test[ ]files\]
  | PASS[ ]+\S+\.\w+.* | \s*[✓✔√][ ].*                              # jest, mocha, node
  | \s*ok[ ]\d+\b (?!.*\#[ ](?:TO[D]O|SKIP)).* | \s*\#[ ]Subtest:.* # TAP
  | [ ]{2,}(?:---|\.{3}|duration_ms:[ ].*|type:[ ]'test')
  | \[[ ]{7}OK[ ]\].* | \s*\d+/\d+[ ]+Test[ ]+\#\d+:.*[ ]Passed\s+[\d.]+[ ]sec  # gtest, ctest
  | \[INFO\][ ]Tests[ ]run:.*Failures:[ ]0,[ ]Errors:[ ]0.*elapsed.*            # maven
  | \S.*[ ]>[ ].*[ ]PASSED | Test[ ][Cc]ase[ ]'.*'[ ]passed.*                   # gradle, XCTest
  | \s+PASS[ ]\[\s*[\d.]+s\].* | \s+Passed[ ].*\[.*[ ]m?s\]                     # nextest, dotnet
"""
_STEP = r"""(?x)
    \s*===[ ](?:RUN|PAUSE|CONT|NAME)\s.* | \[(?:[ ]RUN[ ]{6}|-{10})\].* | \s+Start[ ]+\d+:[ ].*
  | Test[ ][Cc]ase[ ]'.*'[ ]started.*
  | \s+(?:Adding|Checking|Compiling|Dirty|Documenting|Download(?:ed|ing)|Fresh|Locking|Unpacking
      |Updating)[ ].*                                                           # cargo
  | (?:\S*/)?(?:[\w.]+-)*(?:cc|gcc|g\+\+|c\+\+|clang|clang\+\+|ld|javac|rustc)(?:-[\d.]+)?[ ]+-.*
  | (?:\S*/)?(?:[\w.]+-)*(?:ar|ranlib)[ ].*\.a\b.*
  | \s+(?:AR|AS|CC|CCLD|CHK|CXX|CXXLD|GEN|HOSTCC|HOSTLD|INSTALL|LD|LINK|UPD)(?:[ ]\[M\])?\s+\S+
  | \[\s*\d+%\][ ].*                                                            # CMake, ninja, yarn
  | \[\d+/\d+\][ ](?:Building|Compiling|Copying|Fetching|Generating|Install\w*|Linking|Resolving
      |Scanning|C|CC|CXX|Link)\b.*
  | \S*make(?:\[\d+\])?:[ ](?:Entering|Leaving|Nothing).*
  | --[ ](?:Check|Checking|Detecting|Found|Looking|Performing)[ ].* | checking[ ].*\.\.\..*
  | \[INFO\](?:[ ](?:Running|Download\w*)[ ].*|[ -]*) | Progress[ ]\(\d+\):.*   # maven
  | >[ ]Task[ ]:\S+(?:[ ](?:FROM-CACHE|NO-SOURCE|SKIPPED|UP-TO-DATE))?          # gradle
  | \s*(?:Attempting[ ]uninstall|Building[ ](?:wheel|editable)|Collecting|Created[ ]wheel
      |Found[ ]existing|Getting[ ]requirements|Installing[ ](?:build|backend|collected)|Obtaining
      |Preparing[ ]metadata|Requirement[ ]already|Stored[ ]in|Successfully[ ]uninstalled
      |Uninstalling|Using[ ]cached)[ :].*                                       # pip
  | npm[ ](?:http|info|sill|silly|timing|verb|verbose)[ ].*
  | (?:Get|Hit|Ign):\d+[ ].* | Selecting[ ]previously.* | Preparing[ ]to[ ]unpack.*  # apt
  | (?:Unpacking|Setting[ ]up)[ ].*\(.*\).* | Processing[ ]triggers.*
  | [0-9a-f]{12}:[ ]\w.* | \#\d+[ ](?:CACHED|DONE|extracting|resolve|sha256:|transferring).*
  | \s*(?:go:[ ])?[Dd]ownload(?:ed|ing)[ :].*
  | \s*(?:Build|Compil|Compress|Copy|Count|Extract|Fetch|Install|Link|Load|Process|Pull|Push|Receiv
      |Resolv|Sync|Transferr|Unpack|Upload|Writ)ing\b.*\d%.*
  | .*\d%\|.*(?:/s|s/it|\?).* | \s*\d+/\d+[ ](?:\[[=>. ]{5,}\]|━+).* | \s*[━╸╺]{5,}.*(?:B/s|eta).*
"""
_ERROR = r"""(?x)
    \b(?:abort(?:ed|ing)?|assert(?:ion)?|cannot|could[ ]not|denied|fail(?:ed|ing|s|ures?)?|fatal
      |killed|missing|no[ ]such|not[ ]found|panic(?:ked)?|refused|segfault|segmentation
      |time(?:d[ ]|-)?out|traceback|unable[ ]to|undefined|unexpected|unresolved)\b
  | (?:error|exception)s?\b | npm[ ]err! | \*\*\* | ^e\s{2} | ^\s*not[ ]ok\b | ^\s*[✗✕✖✘×●][ ]
  | ^_{3,}[ ].+[ ]_{3,}$ | ^-{4,}[ ].+[ ]-{4,}$ | _test\.go:\d+: | ^goroutine[ ]\d
"""
_NONE = r"\b(?:0|no) (?:errors?|fail\w*)|\b(?:errors?|fail\w*)[:=]? +0\b"
_WARNING = r"warnings?\b|\bwarn\b|\bdeprecated\b"
_VERDICT = r"""(?x)
    =+[ ](?:test[ ]session[ ]starts|ERRORS|FAILURES|short[ ]test|.*[ ]in[ ][\d.]+s\b).*=$
  | \d+[ ](?:errors?|failed|passed)\b.*[ ]in[ ][\d.]+s\b | FAILED\b | Ran[ ]\d+[ ]tests?[ ]in[ ]
  | test[ ]result:[ ] | running[ ]\d+[ ]tests?$ | error:[ ](?:aborting|could[ ]not[ ]compile)
  | error\[E\d+\] | \s*---[ ]FAIL:[ ] | (?:FAIL|ok)(?:\t|$)                  # cargo, go
  | (?i:\s*(?:tests?|test[ ](?:files|suites)|snapshots)(?::|[ ]+)[ ]*\d+[ ](?:failed|passed|total))
  | (?i:\s*tests:[ ]) | \s*\d+[ ](?:failing|passing)\b | (?:\#|ℹ)[ ](?:fail|pass|tests)[ ]\d
  | \d+[ ]examples?,[ ]\d+[ ]failure | \[[ ]{2}(?:FAILED|PASSED)[ ]{2}\] | .*\d%[ ]tests[ ]passed
  | Found[ ]\d+[ ]errors?\b | All[ ]checks[ ]passed | Success:[ ]no[ ]issues | .*✖[ ]\d+[ ]problem
  | .*\bBUILD[ ](?:FAILED|FAILURE|SUCCESS) | .*\bTests[ ]run:[ ]\d | \d+[ ]tests[ ]completed
  | \S*make(?:\[\d+\])?:[ ]\*\*\* | ninja:[ ]build[ ]stopped
  | (?:added|audited|changed|removed|up[ ]to[ ]date)\b.*\bpackages?\b | npm[ ](?:ERR!|error)[ ]
  | Successfully[ ](?:built|installed)[ ] | \d+[ ]upgraded,[ ]
"""
# compilers, tsc, mypy
_DIAGNOSTIC = r"\S+?[:(]\d+(?:[:,]\d+)?\)?: (?:fatal )?(?:error|warning)\b"


def mark(line: str) -> Mark:
    """What a line is by itself."""
    if re.fullmatch(_PASSED, line):
        return "passed"
    if re.fullmatch(_STEP, line):
        return "step"
    lower = line.lower()
    if re.search(_ERROR, lower) and re.search(_ERROR, re.sub(_NONE, "", lower)):
        return "error"
    if re.match(_VERDICT, line):
        return "verdict"
    return "warning" if re.search(_WARNING, lower) else "plain"


def telling(line: str) -> bool:
    """Whether the line can only come from tests, a build, a check or an installation."""
    return bool(re.match(_VERDICT, line) or re.match(_DIAGNOSTIC, line))
