# SPDX-License-Identifier: BSD-2-Clause
"""How many samples have their whole call stack, in programs that many people run."""

import os
import shutil

from programs import PYTHON, SQL, c_source, of_the_system, text_data
from redis import Redis
from rows import leave_out, row

USUAL, OWN_CODE = 99.5, 98.0  # per cent; of programs that write code of their own
NO_STACK = {"exiting"}  # of a program that starts or ends

NODE = """
const words = Array.from({length: 40000}, (_, i) => ((i * 7919) % 1000003).toString(36));
function tree(depth) { return depth ? {left: tree(depth - 1), right: tree(depth - 1)} : {}; }
function size(node) { return node.left ? 1 + size(node.left) + size(node.right) : 1; }
async function later(n) { let sum = 0; for (let i = 0; i < n; i++) sum += await i; return sum; }
async function main() {
  for (let round = 0; round < ROUNDS; round++) {
    const map = new Map(words.map((word, i) => [word, i]));
    words.slice().sort((a, b) => a.localeCompare(b)).forEach(word => map.get(word));
    JSON.parse(JSON.stringify(words.map(word => ({word, size: word.length}))));
    words.join(" ").replace(/[a-m]+(\\\\d)/g, "$1").split(/ /).filter(Boolean).reverse();
    size(tree(14));
    await later(20000);
  }
}
main();
"""

PAGE = """<!doctype html><title>work</title><body><script>
for (let round = 0; round < ROUNDS; round++) {
  const list = document.createElement("ul");
  for (let i = 0; i < 3000; i++) {
    const item = document.createElement("li");
    item.textContent = Math.sin(i * round).toString(36);
    item.style.color = "rgb(" + i % 256 + ",0,0)";
    list.append(item);
  }
  document.body.append(list);
  document.body.getBoundingClientRect();
  [...list.children].sort((a, b) => a.textContent < b.textContent ? -1 : 1);
  list.remove();
}
</script>"""

SERVED = """
create table t(a int, b text);
insert into t select (i * 7919::bigint) % 1000003, md5(i::text) from generate_series(1, {rows}) i;
create index t_b on t(b);
select count(*), sum(a), min(b) from (select a, b from t order by b desc, a) x;
select count(*) from t x join t y on x.b = y.b where x.a % 3 = 0;
"""


def in_shell(script, *words):
    return ["sh", "-c", script, "sh", *words]


def postgres(bench, rows):
    """A server of its own, with one who asks it; None where there is none."""
    folders = "/usr/lib/postgresql"
    versions = sorted(os.listdir(folders)) if os.path.isdir(folders) else []
    if not versions:
        leave_out("postgres", "postgresql is not installed")
        return None
    programs, folder = f"{folders}/{versions[-1]}/bin", bench.path("postgres")
    os.mkdir(folder)
    shutil.chown(folder, "nobody")
    os.chmod(bench.folder, 0o755)
    other = ["setpriv", "--reuid=nobody", "--clear-groups", "sh", "-c"]
    bench.run([*other, f"{programs}/initdb -A trust -U nobody -D {folder}/data >/dev/null"])
    sql = bench.path("postgres.sql")
    with open(sql, "w", encoding="ascii") as file:
        file.write(SERVED.format(rows=rows))
    return [*other, f"cd {folder} && {programs}/pg_ctl -s -w -D data -o '-k {folder} -h \"\"' start"
                    f" && {programs}/psql -q -h {folder} -U nobody -f {sql} postgres;"
                    f" {programs}/pg_ctl -s -m fast -w -D data stop"]


def redis(bench, requests):
    server = Redis.find(bench.folder)
    if not server:
        return None
    loads = f"redis-benchmark -p {server.port} -q -n {requests} -t set,get,lpush,zadd,lrange_100"
    return in_shell(f'"$@" & until redis-cli -p {server.port} ping >/dev/null 2>&1; do :; done;'
                    f" {loads} >/dev/null; redis-cli -p {server.port} shutdown nosave; wait",
                    *server.command())


def file_of(bench, name, text):
    path = bench.path(name)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path


def git(bench, count):
    """Commits, and their history packed and shown."""
    folder = bench.path("git")
    script = (f"git init -q {folder}; cd {folder}; git config user.name n; git config user.email e;"
              f" i=0; while [ $i -lt {count} ]; do cp ../git-$((i % 2)) file; echo $i >>file;"
              " git add file; git commit -qm $i; i=$((i + 1)); done;"
              " git repack -q -a -d -f; git log -p --stat >/dev/null; git blame file >/dev/null")
    for number in range(2):
        file_of(bench, f"git-{number}", c_source(300 + number))
    return in_shell(script)


def programs(bench, scale):
    """(name, command, the least of whole stacks in per cent)."""
    data = file_of(bench, "whole.data", text_data(int(6e6 * scale)))
    source = file_of(bench, "whole.c", c_source(int(900 * scale)))
    script = file_of(bench, "whole.js", NODE.replace("ROUNDS", str(int(30 * scale))))
    page = file_of(bench, "whole.html", PAGE.replace("ROUNDS", str(int(60 * scale))))
    yield "python3", [of_the_system("python3"), "-c", PYTHON, str(int(12 * scale))], USUAL
    yield "redis", redis(bench, int(60000 * scale)), USUAL
    yield "sqlite3", [of_the_system("sqlite3"), ":memory:", SQL.format(rows=int(8e5 * scale))], USUAL
    yield "xz", in_shell("exec xz -T0 -kc \"$1\" >/dev/null", data), USUAL
    yield "git", git(bench, int(60 * scale)), USUAL
    yield "gcc", ["gcc", "-O2", "-c", "-o", "/dev/null", source], USUAL
    yield "postgres", postgres(bench, int(6e5 * scale)), USUAL
    yield "node", ["node", script], OWN_CODE
    yield "chromium", ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                       f"--user-data-dir={bench.path('chromium')}", f"file://{page}"], OWN_CODE


def measure(bench, name, command, engine):
    """The share of samples that have a stack which is whole, and why the others are cut."""
    out = f"whole-{name}-{engine}.pb.gz"
    shutil.rmtree(bench.path("git"), ignore_errors=True)
    bench.run(bench.profil_run(command, out, "-g", "--engine", engine))
    ends = bench.report(out, "-n", "1")["stacks"]
    samples = sum(count for end, count in ends.items() if end not in NO_STACK)
    cut = [f"{count} {end}" for end, count in ends.items() if end not in ("whole", "interpreted")]
    told = ends["whole"] + ends.get("interpreted", 0)  # with C functions for Python's
    return 100 * told / samples, f"{samples} samples; {', '.join(cut) or 'none cut'}"


def whole(bench, quick):
    """Of each program, by the engines that see it from outside."""
    for name, command, least in programs(bench, 0.4 if quick else 1):
        if not command:
            continue
        if not shutil.which(command[0]):
            leave_out(f"whole call stacks, {name}", f"{command[0]} is not installed")
            continue
        for engine, limit in (("kernel", least), ("perf", None)):
            share, remark = measure(bench, name, command, engine)
            row(f"whole call stacks, {name}, {engine} engine", share, "%", limit, remark, least=True)
