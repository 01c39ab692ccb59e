#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Make the files of the page constants of C.

    embed.py html.css html.js flame.js > assets.c

The policy of the page names the script by its hash: of what stands between <script> and </script>,
which is a line end and the file.
"""

import base64
import hashlib
import os
import sys


def literal(text):
    lines = (line.replace("\\", "\\\\").replace('"', '\\"') for line in text.splitlines())
    return "\n".join(f'\t"{line}\\n"' for line in lines)


def main():
    print('#include "view/assets.h"\n')
    for path in sys.argv[1:]:
        name = os.path.basename(path).replace(".", "_")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        print(f"const char {name}[] =\n{literal(text)};\n")
        if path.endswith(".js"):
            digest = hashlib.sha256(b"\n" + text.encode()).digest()
            print(f'const char {name}_hash[] = "{base64.b64encode(digest).decode()}";\n')


if __name__ == "__main__":
    main()
