#!/usr/bin/env python3
"""Checks the include structure and the form of the sources; prints FILE:LINE: what is wrong.

A room may include its own and lower layers. Further walls: passes see base, ir and ops only; codegen never
includes OpenCL headers; fusion never includes primitives. Neither headers nor rooms include each other in circles.
Bodies (.ipp) are included by a header, under #ifndef FUSECL_SPLIT. The headers for users bring all of their folders.
Form: length, opening comment (a body shares its header's), include guard, no tabs, trailing blanks or
leftover marks.
"""
import argparse
import pathlib
import re
import sys
import tempfile

LAYERS = {"base": 0, "ir": 1, "ops": 2, "expr": 3, "passes": 3, "schedule": 4, "codegen": 5, "runtime": 5, "kinds": 6,
          "matrix": 6, "eval": 7, "autodiff": 8}
PRIMITIVES = {"covariances", "likelihoods"}  # rooms of include/primitives, above all of fusion
ONLY = {"passes": {"base", "ir", "ops", "passes"}, "codegen": {"base", "ir", "ops", "passes", "schedule", "codegen"}}
# headers for users, and the folders of which they bring every header, as users expect of them
UMBRELLAS = {"fusion/fusion.hpp": ("fusion/expr/", "fusion/matrix/"),
             "fusion/autodiff.hpp": ("fusion/autodiff/", "fusion/expr/", "fusion/matrix/"),
             "primitives/primitives.hpp": ("primitives/", "fusion/autodiff/", "fusion/expr/", "fusion/matrix/")}
MAX_LINES = {".hpp": 400, ".ipp": 800}
SOURCE_SUFFIXES = {".hpp", ".ipp", ".cpp", ".cl"}
MARKS = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
GUARDED_BODIES = re.compile(r"^#ifndef FUSECL_SPLIT\n(.*?)^#endif", re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r"^\s*#\s*include\s*([<\"])([^>\"]+)[>\"]")


def includes_of(text):
    for number, line in enumerate(text.splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(1), found.group(2)


def room_of(path):
    """The room of 'fusion/ir/graph.hpp' is 'ir'; umbrella files directly in fusion/ have none."""
    parts = pathlib.PurePosixPath(path).parts
    return parts[1] if len(parts) > 2 else None


def check_walls(include, path, text):
    name = path.relative_to(include).as_posix()
    project, room = name.split("/")[0], room_of(name)
    if project == "fusion" and room is not None and room not in LAYERS:
        yield 1, f"room '{room}' has no layer in tools/check_layers.py"
        return
    if project == "primitives" and room is not None and room not in PRIMITIVES:
        yield 1, f"room '{room}' of primitives is not in tools/check_layers.py"
        return
    for number, bracket, target in includes_of(text):
        target_project = target.split("/")[0]
        if bracket == '"':
            yield number, f'includes "{target}": write <fusion/...> or <primitives/...>'
        if room == "codegen" and target_project in ("CL", "OpenCL"):
            yield number, f"codegen includes <{target}>: it only writes text"
        if target_project not in ("fusion", "primitives"):
            continue
        if not (include / target).is_file():
            yield number, f"includes <{target}>, which does not exist"
            continue
        if project == "fusion" and target_project == "primitives":
            yield number, f"fusion includes <{target}>"
            continue
        target_room = room_of(target)
        if project != "fusion" or room is None or target_project != "fusion":
            continue
        if target_room is None:
            yield number, f"includes the umbrella <{target}>"
        elif LAYERS.get(target_room, 99) > LAYERS[room]:
            yield number, f"{room} [{LAYERS[room]}] includes <{target}> of a higher layer"
        elif room in ONLY and target_room not in ONLY[room]:
            yield number, f"{room} includes <{target}>: it sees {', '.join(sorted(ONLY[room] - {room}))} only"


def check_form(path, text):
    lines = text.splitlines()
    limit = MAX_LINES.get(path.suffix)
    if limit and len(lines) > limit:
        yield limit, f"{len(lines)} lines, at most {limit}"
    opening = [line for line in lines[:4] if line.strip() and not line.startswith("#pragma once")]
    if path.suffix != ".ipp" and (not opening or not opening[0].startswith(("//", "/*"))):
        yield 1, "no opening comment that says what lives here"
    if path.suffix == ".hpp" and "#pragma once" not in lines:
        yield 1, "no #pragma once"
    if text and not text.endswith("\n"):
        yield len(lines), "no newline at the end"
    for number, line in enumerate(lines, 1):
        if "\t" in line:
            yield number, "tab"
        if line != line.rstrip():
            yield number, "trailing blank"
        if MARKS.search(line):
            yield number, f"leftover mark {MARKS.search(line).group(0)}"


def check_bodies(include, texts):
    """Headers include bodies only under #ifndef FUSECL_SPLIT; every body is included by some header or by
    another body."""
    included = set()
    for path, text in texts.items():
        if path.suffix == ".ipp":  # a list of bodies
            included |= {target for _, _, target in includes_of(text)}
        if path.suffix != ".hpp":
            continue
        for block in GUARDED_BODIES.findall(text):
            included |= {target for _, _, target in includes_of(block)}
        if ".ipp>" in GUARDED_BODIES.sub("", text):
            yield path, 1, "includes a body outside #ifndef FUSECL_SPLIT"
    for path in texts:
        if path.suffix == ".ipp" and path.relative_to(include).as_posix() not in included:
            yield path, 1, "no header includes this body under #ifndef FUSECL_SPLIT"


def circles_in(graph):
    """Depth-first search for circles, each as the list of its names."""
    done, trail = set(), []

    def visit(name):
        if name in trail:
            yield trail[trail.index(name):] + [name]
            return
        if name in done:
            return
        done.add(name)
        trail.append(name)
        for target in graph.get(name, []):
            yield from visit(target)
        trail.pop()

    for name in sorted(graph):
        yield from visit(name)


def check_umbrellas(include, texts):
    """A header for users brings its folders, also where bodies are left out."""
    headers = {path.relative_to(include).as_posix(): text for path, text in texts.items() if path.suffix == ".hpp"}
    for umbrella, folders in UMBRELLAS.items():
        brought, waiting = set(), [umbrella] if umbrella in headers else []
        while waiting:
            name = waiting.pop()
            if name not in brought and name in headers:
                brought.add(name)
                waiting += [target for _, _, target in includes_of(GUARDED_BODIES.sub("", headers[name]))]
        for name in sorted(set(headers) - brought if brought else []):
            if name.startswith(folders):
                yield include / umbrella, 1, f"does not bring <{name}>"


def check_circles(include, texts):
    """Circles among headers, where what they include for their bodies does not count, and among rooms, where it
    does."""
    headers, rooms = {}, {}
    for path, text in texts.items():
        name = path.relative_to(include).as_posix()
        if path.suffix == ".hpp":
            headers[name] = [target for _, _, target in includes_of(GUARDED_BODIES.sub("", text))]
        if room_of(name) is None or not name.startswith("fusion/"):
            continue
        for number, _, target in includes_of(text):
            if target.startswith("fusion/") and room_of(target) not in (None, room_of(name)):
                rooms.setdefault(room_of(name), {}).setdefault(room_of(target), (path, number))
    for circle in circles_in(headers):
        yield include / circle[0], 1, "circle: " + " -> ".join(circle)
    for circle in circles_in(rooms):
        path, number = rooms[circle[0]][circle[1]]
        yield path, number, "rooms include each other: " + " -> ".join(circle)


def check(root):
    """All findings below `root` as (path, line, message)."""
    include = root / "include"
    texts = {}
    for folder in ("include", "test", "bench", "examples"):
        for path in sorted((root / folder).rglob("*")):
            generated = path.parent.name == "golden" and path.suffix == ".cl"
            if path.suffix in SOURCE_SUFFIXES and path.is_file() and not generated:
                texts[path] = path.read_text(encoding="utf-8")
    library = {path: text for path, text in texts.items() if include in path.parents}
    for path, text in texts.items():
        for number, message in check_form(path, text):
            yield path, number, message
    for path, text in library.items():
        for number, message in check_walls(include, path, text):
            yield path, number, message
    yield from check_bodies(include, library)
    yield from check_umbrellas(include, library)
    yield from check_circles(include, library)


def self_test():
    """Each rule finds its violation in a small tree made for it, and a clean tree has none."""
    head = "#pragma once\n// What lives here.\n"
    clean = {"ir/graph.hpp": head + "#include <fusion/base/shape.hpp>\n", "base/shape.hpp": head}
    cases = {
        "of a higher layer": {"base/shape.hpp": head + "#include <fusion/ir/graph.hpp>\n"},
        "it sees base, ir, ops only": {"passes/cse.hpp": head + "#include <fusion/expr/leaf.hpp>\n",
                                       "expr/leaf.hpp": head},
        "it only writes text": {"codegen/emit.hpp": head + "#include <CL/opencl.hpp>\n"},
        "fusion includes <primitives": {"ir/graph.hpp": head + "#include <primitives/product.hpp>\n",
                                        "../primitives/product.hpp": head},
        "which does not exist": {"ir/graph.hpp": head + "#include <fusion/ir/missing.hpp>\n"},
        "umbrella": {"fusion.hpp": head, "ir/graph.hpp": head + "#include <fusion/fusion.hpp>\n"},
        "has no layer": {"attic/old.hpp": head},
        "of primitives is not in": {"../primitives/attic/old.hpp": head},
        "circle": {"ir/graph.hpp": head + "#include <fusion/ir/node.hpp>\n",
                   "ir/node.hpp": head + "#include <fusion/ir/graph.hpp>\n"},
        "rooms include each other: eval -> matrix -> eval": {
            "eval/assign.hpp": head + "#include <fusion/matrix/base.hpp>\n", "matrix/base.hpp": head,
            "matrix/whole.hpp": head + "#include <fusion/eval/assign.hpp>\n"},
        "rooms include each other: runtime -> schedule -> runtime": {
            "schedule/plan.hpp": head, "runtime/queue.hpp": head + "#include <fusion/schedule/plan.hpp>\n",
            "schedule/plan.ipp": "#include <fusion/runtime/queue.hpp>\n"},
        "does not bring <fusion/autodiff/second.hpp>": {
            "autodiff.hpp": head + "#include <fusion/autodiff/first.hpp>\n#include <fusion/autodiff/third.hpp>\n",
            "autodiff/first.hpp": head, "autodiff/second.hpp": head,
            "autodiff/third.hpp": head + "#ifndef FUSECL_SPLIT\n#include <fusion/autodiff/second.hpp>\n#endif\n"},
        "write <fusion/": {"ir/graph.hpp": head + '#include "node.hpp"\n'},
        "no header includes this body": {"ir/graph.hpp": head, "ir/graph.ipp": "int i;\n"},
        "outside #ifndef": {"ir/graph.hpp": head + "#include <fusion/ir/graph.ipp>\n", "ir/graph.ipp": "int i;\n"},
        "lines, at most": {"ir/graph.hpp": head + "\n" * 400},
        "no opening comment": {"ir/graph.hpp": "#pragma once\nint i;\n"},
        "no #pragma once": {"ir/graph.hpp": "// What lives here.\n"},
        "no newline": {"ir/graph.hpp": head + "int i;"},
        "tab": {"ir/graph.hpp": head + "\tint i;\n"},
        "trailing blank": {"ir/graph.hpp": head + "int i; \n"},
        "leftover mark": {"ir/graph.hpp": head + "// TO" "DO\n"},
    }
    failed = 0
    for message, files in [(None, clean), *cases.items()]:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**clean, **files}.items():
                path = (root / "include/fusion" / name).resolve()
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            found = [text for _, _, text in check(root.resolve())]
        good = not found if message is None else any(message in text for text in found)
        if not good:
            failed += 1
            print(f"self-test '{message or 'clean tree'}' found: {found}")
    print(f"{len(cases) + 1 - failed} of {len(cases) + 1} self-tests passed")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--self-test", action="store_true", help="check this script instead of the sources")
    arguments = parser.parse_args()
    if arguments.self_test:
        sys.exit(1 if self_test() else 0)
    root = arguments.root.resolve()
    findings = list(check(root))
    for path, number, message in findings:
        print(f"{path.relative_to(root)}:{number}: {message}")
    print(f"{len(findings)} findings")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
