# SPDX-License-Identifier: BSD-2-Clause
"""python-varied.py SECONDS: works for so much CPU time at what the standard library has, of one kind after the other
as they are drawn: many functions, call paths and places."""

import argparse
import ast
import calendar
import configparser
import csv
import datetime
import decimal
import difflib
import dis
import email.message
import email.parser
import fractions
import glob
import heapq
import html
import inspect
import io
import ipaddress
import json
import logging
import pickle
import random
import re
import shlex
import statistics
import sys
import textwrap
import time
import tokenize
import urllib.parse
import xml.etree.ElementTree as ET
import zlib

RANDOM = random.Random(1)
SOURCES = sorted(glob.glob(ast.__file__.rsplit("/", 1)[0] + "/*.py"))
LOG = logging.getLogger("varied")
LOG.addHandler(logging.StreamHandler(io.StringIO()))
LOG.setLevel(logging.DEBUG)


class Node:
    """A tree that grows as it comes: recursion to different depths."""

    def __init__(self, value):
        self.value, self.sides = value, [None, None]

    def add(self, value):
        side = value >= self.value
        if self.sides[side]:
            self.sides[side].add(value)
        else:
            self.sides[side] = Node(value)


def source():
    with open(RANDOM.choice(SOURCES), encoding="utf-8") as file:
        return file.read()


def as_json():
    data = {str(i): [i, i * 2.5, "x" * (i % 20), None, {"a": [True]}] for i in range(1000)}
    json.loads(json.dumps(data, indent=1))


def syntax():
    tree = ast.parse(source())
    ast.unparse(tree)
    compile(tree, "varied", "exec")


def tokens():
    list(tokenize.generate_tokens(io.StringIO(source()).readline))


def expressions():
    re.purge()
    re.sub(r"\b(self|cls)\b", lambda match: match.group().upper(), source())
    re.findall(r"(\w+)\s*\(([^()]*)\)", source())


def differences():
    lines = source().splitlines()[:150]
    list(difflib.unified_diff(lines, [line for line in lines if RANDOM.random() > 0.1]))


def numbers():
    decimal.Decimal(2).sqrt().ln()
    sum(fractions.Fraction(1, i) for i in range(1, 120))
    statistics.stdev(range(500))


def tables():
    file = io.StringIO()
    csv.writer(file).writerows([i, "a,b", i * 0.5] for i in range(2000))
    file.seek(0)
    list(csv.DictReader(file))


def documents():
    root = ET.Element("root")
    for i in range(800):
        ET.SubElement(root, "e", a=str(i))
    ET.fromstring(ET.tostring(root)).findall(".//e[@a='5']")


def trees():
    root = Node(0)
    for _ in range(800):
        root.add(RANDOM.random())
    pickle.loads(pickle.dumps(root))


def texts():
    textwrap.fill("word " * 1000)
    html.unescape(html.escape("<a&b>" * 300))
    shlex.split("a 'b c' d " * 200)
    urllib.parse.urlparse("http://a/b?c=d")


def settings():
    parser = configparser.ConfigParser()
    parser.read_string("".join(f"[s{i}]\na=1\nb=%(a)s\n" for i in range(200)))
    for i in range(200):
        parser.get(f"s{i}", "b")


def options():
    parser = argparse.ArgumentParser()
    for i in range(60):
        parser.add_argument(f"--o{i}", type=int)
    parser.parse_args(["--o5", "3"])
    parser.format_help()


def mails():
    message = email.message.EmailMessage()
    message["Subject"] = "x" * 50
    message.set_content("y\n" * 300)
    email.parser.Parser().parsestr(message.as_string())


def times():
    for i in range(200):
        datetime.datetime.fromtimestamp(i * 1e5).isoformat()
        ipaddress.ip_network(f"10.{i}.0.0/16")
        LOG.debug("message %d", i)
    calendar.TextCalendar().formatyear(2024)


def code():
    dis.dis(argparse.ArgumentParser.add_argument, file=io.StringIO())
    inspect.signature(argparse.ArgumentParser)
    zlib.compress(source().encode())
    heapq.nlargest(10, (RANDOM.random() for _ in range(3000)))


WORK = (as_json, syntax, tokens, expressions, differences, numbers, tables, documents, trees, texts, settings, options,
        mails, times, code)
end = time.process_time() + float(sys.argv[1])
while time.process_time() < end:
    RANDOM.choice(WORK)()
