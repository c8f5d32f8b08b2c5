# SPDX-License-Identifier: MIT
"""Where two JSON values differ, a line each."""


def differences(first, second, path=""):
    if isinstance(first, dict) and isinstance(second, dict):
        for key in sorted({*first, *second}):
            yield from differences(first.get(key), second.get(key), f"{path}.{key}")
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for i, (one, other) in enumerate(zip(first, second)):
            yield from differences(one, other, f"{path}[{i}]")
    elif first != second:
        yield f"{path[1:]}: {str(first)[:300]}, {str(second)[:300]}"
