# SPDX-License-Identifier: BSD-2-Clause
"""The Firefox Profiler's processed profile format, version 57, as its type definitions have it."""

from command import expect

COLUMNS = {
    "samples": {"stack", "time", "weight"},
    "stackTable": {"frame", "prefix"},
    "frameTable": {"address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol", "innerWindowID",
                   "line", "column"},
    "funcTable": {"name", "isJS", "relevantForJS", "resource", "fileName", "lineNumber", "columnNumber"},
    "resourceTable": {"lib", "name", "host", "type"},
    "nativeSymbols": {"libIndex", "address", "name", "functionSize"},
    "markers": {"data", "name", "startTime", "endTime", "phase", "category"},
}
THREAD = {"name", "isMainThread", "processType", "processStartupTime", "processShutdownTime", "registerTime",
          "unregisterTime", "pausedRanges", "pid", "tid"}
LIBRARY = {"arch", "name", "path", "debugName", "debugPath", "breakpadId", "codeId"}
COLORS = {"transparent", "purple", "green", "orange", "yellow", "lightblue", "blue", "brown", "magenta", "red",
          "lightred", "darkgrey", "grey"}


def check_table(name, table):
    """Each column of a table has a value for each row."""
    columns = {column: rows for column, rows in table.items() if isinstance(rows, list)}
    expect(set(columns) == COLUMNS[name], f"{name}: {sorted(columns)}")
    for column, rows in columns.items():
        expect(len(rows) == table["length"], f"{name}.{column}: {len(rows)} rows, not {table['length']}")


def check_indexes(what, indexes, limit, missing=()):
    for index in indexes:
        expect(index in missing or (type(index) is int and 0 <= index < limit), f"{what}: {index} of {limit}")


def check_thread(profile, thread):
    texts = len(profile["shared"]["stringArray"])
    expect(set(thread) == THREAD | set(COLUMNS), f"{sorted(thread)}")
    for name in COLUMNS:
        check_table(name, thread[name])
    samples, stacks, frames, functions, resources = (
        thread[name] for name in ("samples", "stackTable", "frameTable", "funcTable", "resourceTable"))
    expect(type(thread["pid"]) is str and samples["weightType"] in ("samples", "tracing-ms"), f"{thread['pid']}")
    expect(not any(samples["time"]) and all(weight > 0 for weight in samples["weight"]), "times or weights")
    check_indexes("stack", samples["stack"], stacks["length"])
    check_indexes("frame", stacks["frame"], frames["length"])
    for row, prefix in enumerate(stacks["prefix"]):
        check_indexes("prefix", [prefix], row, missing=(None,))
    check_indexes("func", frames["func"], functions["length"])
    check_indexes("category", frames["category"], len(profile["meta"]["categories"]))
    check_indexes("name", functions["name"], texts)
    check_indexes("fileName", functions["fileName"], texts, missing=(None,))
    check_indexes("resource", functions["resource"], resources["length"], missing=(-1,))
    check_indexes("lib", resources["lib"], len(profile["libs"]))
    check_indexes("resource name", resources["name"], texts)
    expect(all(type(address) is int and -1 <= address < 1 << 53 for address in frames["address"]), "addresses")


def check(profile):
    """PROFILE has all that is asked for, and no index out of its table."""
    meta = profile["meta"]
    expect(meta["preprocessedProfileVersion"] == 57 and meta["symbolicated"] is True and meta["interval"] > 0
           and {"product", "startTime", "version", "processType", "stackwalk", "extensions",
                "markerSchema"} <= set(meta), f"{meta}")
    categories = meta["categories"]
    expect(all(set(one) == {"name", "color", "subcategories"} and one["color"] in COLORS
               and one["subcategories"] == ["Other"] for one in categories), f"{categories}")
    expect([one["name"] for one in categories if one["color"] == "grey"] == ["unresolved"], f"{categories}")
    expect(all(set(library) == LIBRARY for library in profile["libs"]), f"{profile['libs']}")
    expect(all(type(text) is str for text in profile["shared"]["stringArray"]), "texts")
    expect(profile["threads"], "no thread")
    for thread in profile["threads"]:
        check_thread(profile, thread)


def stacks_of(profile, thread):
    """[(callers first [(name, library, category)], weight)] of a thread's samples."""
    texts, out = profile["shared"]["stringArray"], []
    stacks, frames, functions, resources = (
        thread[name] for name in ("stackTable", "frameTable", "funcTable", "resourceTable"))
    for stack, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"]):
        names = []
        while stack is not None:
            frame = stacks["frame"][stack]
            function = frames["func"][frame]
            resource = functions["resource"][function]
            names.append((texts[functions["name"][function]],
                          profile["libs"][resources["lib"][resource]]["name"] if resource >= 0 else None,
                          profile["meta"]["categories"][frames["category"][frame]]["name"]))
            stack = stacks["prefix"][stack]
        out.append((names[::-1], weight))
    return out
