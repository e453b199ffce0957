#!/usr/bin/env python3
"""Checks that the documents say what the sources do.

- docs/environment.md lists exactly the environment variables that the library reads.
- docs/architecture.md names every room of include/fusion and include/primitives.
- Relative links in Markdown files lead to files, and what follows a `#` to a heading there.
- docs/decisions/README.md has a row for each record.
- Scripts of the repository that shell blocks of Markdown files begin a line with are there and can be run.
- The first C++ example of README.md is examples/quick_start/quick_start.cpp.
- The C++ of README.md, docs/gradients.md, docs/paper_examples.md, docs/sampling.md,
  docs/user_leaves.md and docs/write_your_own_likelihood.md is a part of the examples.
- Every name that headers declare for users is in the code of some page; INTERNAL lists those that no user writes,
  all of which headers declare.
- docs/building_ahead.md names the fields of `counters` and `pool_counts`.
- The rows of docs/names.md are those that test/device/names_test.cpp compares.
"""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# pages whose C++ is a part of the examples; test/standalone/compile_pages.py compiles that of the others
PAGES_OF_EXAMPLES = ("gradients", "paper_examples", "sampling", "user_leaves", "write_your_own_likelihood")

# Names in namespace fusecl that users see in messages at most: machinery of the rooms.
INTERNAL = set("""
    added_diagonal adjoint_result_list all_scalar_types append appended as_column as_number as_operation_cl
    assign_elements assignable batched_factors batched_products batched_solutions binary binder binder_record
    block_of broadcasted bytes_of capabilities cholesky_factor contents_witness converted cpp_name cpp_type
    derivative_scope device_entry device_filter diagonal_of element elements_in environment_switch erase_if erased
    evaluate evaluated evaluation expression expression_like expression_list floating free_size gathered
    gradient_check gradient_destination gradient_entry hash_of_key hash_of_numbers holder_cl_ host_gradient
    host_gradient_part host_matrix host_operand host_variables index_leaf inverted_triangle is_finite is_floating
    is_infinite is_nan is_outside is_parameter is_same_number is_whole_number is_within is_zero keyed_values
    leaf_result list_of lowering matrix_base matrix_leaf matrix_like matrix_operand no_adjoint node node_of
    number_in number_type numbering on_diagonal_of_zeros once_expression opencl_code_ opencl_code_output
    opencl_context_type opencl_name operand operand_check operand_pair operand_slot_bit operand_word
    optional_variable owned parameter_leaf part_of_variable per_thread product_expression promoted read_switch reduction repeated_vector
    result_list result_view reversed scalar_leaf scalar_operand scalar_type scalar_type_of scalar_type_v scalar_use
    scalar_value scalar_word scanned selected_object shared_expression size_of sized_operand small_buffer
    solved_triangle special_scalars switch_is_on ternary to_string transposed transposed_each triangular_operand
    unary update_elements value_type_of value_with_gradient value_with_hessian_product variable_list visit_type
""".split())


def check_environment():
    read = set()
    for path in (ROOT / "include").rglob("*.[hi]pp"):
        read |= set(re.findall(r"\"((?:FUSECL|OCL|XDG)_[A-Z_]+|HOME)\"", path.read_text()))
    rows = re.findall(r"^\| `([A-Z_]+)", (ROOT / "docs/environment.md").read_text(), re.MULTILINE)
    for name in sorted(read - set(rows)):
        yield f"docs/environment.md has no row for {name}, which the library reads"
    for name in sorted(set(rows) - read):
        yield f"docs/environment.md has a row for {name}, which nothing in include/ reads"


def check_rooms():
    text = (ROOT / "docs/architecture.md").read_text()
    for room in sorted(path.parent.name for path in (ROOT / "include").glob("*/*/*.hpp")):
        if f"`{room}/`" not in text:
            yield f"docs/architecture.md does not name the room `{room}/`"


def code_of(text):
    """C++ without comments, texts, directives and the library's macros."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r'R"\(.*?\)"', '""', text, flags=re.DOTALL)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    text = re.sub(r"'(?:\\.|[^'\\\n])'", "' '", text)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", " ", text, flags=re.MULTILINE)
    return re.sub(r"^[ \t]*FUSECL_\w+\([^()]*\)$|\bFUSECL_\w+\b", " ", text, flags=re.MULTILINE)


def head_of(declaration):
    """The declaration without its template parameters."""
    d = declaration.strip()
    while d.startswith("template"):
        depth = 0
        for k, c in enumerate(d):
            depth += (c == "<") - (c == ">" and d[k - 1] != "-")
            if c == ">" and depth == 0:
                d = d[k + 1:].strip()
                break
        else:
            return ""
    return d


NO_NAMES = {"requires", "decltype", "noexcept", "alignas", "__attribute__", "sizeof", "and", "or", "not"}


def declared(declaration):
    """The name that a declaration introduces, as a set."""
    d = re.sub(r"\[\[.*?\]\]", " ", head_of(declaration).split("{")[0])
    found = re.match(r"(?:struct|class|enum class|enum|concept|union)\s+(\w+)", d)
    if found:
        return {found.group(1)}
    if d.startswith("using"):
        found = re.match(r"using\s+(\w+)\s*=", d)
        return {found.group(1)} if found else set(re.findall(r"(\w+)\s*(?:,|$)", d))
    if d.startswith(("friend", "extern", "static_assert", "struct", "class", "namespace")) or re.search(r"\boperator\b", d):
        return set()
    angle = paren = 0
    word = last = ""
    for k, c in enumerate(d):
        if c.isalnum() or c == "_":
            word += c
            continue
        if word:
            last, word = word, ""
        if c == "(":
            if paren == 0 and angle <= 0 and d[:k].rstrip().endswith(last) and last and last not in NO_NAMES:
                return {last}
            paren += 1
        elif c == ")":
            paren -= 1
            last = ""
        elif paren == 0 and c == "<":
            angle += 1
        elif paren == 0 and c == ">" and d[k - 1] != "-":
            angle -= 1
            last = ""
        elif paren == 0 and c == "=":
            return {last} if last and angle == 0 else set()
    last = word or last
    return {last} if " " in d and last and last not in NO_NAMES else set()


def public_names(text):
    """Names declared in namespace fusecl itself."""
    names, scopes, declaration, depth, parentheses = set(), [], "", 0, 0
    for c in code_of(text):
        if depth == 0 and (c == "(" or parentheses > 0):
            parentheses += (c == "(") - (c == ")")
            declaration += c
        elif c == "{":
            found = re.search(r"\bnamespace\s*([\w:]*)\s*$", declaration)
            if depth == 0 and found:
                scopes.append(found.group(1))
                declaration = ""
                continue
            depth += 1
            if depth == 1:
                if scopes == ["fusecl"]:
                    names |= declared(declaration)
                declaration += "{"
        elif c == "}":
            if depth == 0:
                scopes.pop()
                declaration = ""
                continue
            depth -= 1
            head = head_of(declaration)
            while head != (shorter := re.sub(r"\([^()]*\)", " ", head)):
                head = shorter
            head = head.split("{")[0]
            if depth == 0 and not re.match(r"(struct|class|enum|union)\b", head) and "=" not in head:
                declaration = ""
        elif depth == 0:
            if c == ";":
                if scopes == ["fusecl"]:
                    names |= declared(declaration)
                declaration = ""
            else:
                declaration += c
    return names


def check_names():
    """Names stand in code: between backticks or in a block."""
    assert public_names("""namespace fusecl { namespace detail { int hidden(); }
        template <class T = int> requires(sizeof(T) > 1) auto first(T a = {}) { return a; }
        struct second { void member(); }; inline constexpr int third = 3; using fourth = int;
        FUSECL_LIST(MACRO)
        template <node E> fifth<E> sixth(const E&); }""") == {"first", "second", "third", "fourth", "sixth"}
    pages = "\n".join(path.read_text() for path in documents() if path.parent.name != "decisions")
    blocks = re.findall(r"```.*?```", pages, re.DOTALL)
    spans = re.findall(r"`[^`\n]+`", re.sub(r"```.*?```", "", pages, flags=re.DOTALL))
    shown = set(re.findall(r"\w+", "\n".join([*blocks, *spans])))
    public = {path: public_names(path.read_text()) for path in sorted((ROOT / "include").rglob("*.hpp"))}
    for name in sorted(INTERNAL - set().union(*public.values())):
        yield f"tools/check_documents.py: INTERNAL has {name}, which no header declares"
    for path, names in public.items():
        for name in sorted(names - shown - INTERNAL):
            yield (f"{path.relative_to(ROOT)} declares {name}, which no page of docs/ has: add it to docs/operations.md "
                   "(test/host/operations_page_test.cpp writes it) or where it belongs, or, if no user writes it, to "
                   "INTERNAL in tools/check_documents.py")


def fields_of(text, struct):
    """Names of the data members of a struct without nested ones."""
    body = re.search(rf"\bstruct {struct} {{(.*?)\n}};", re.sub(r"//[^\n]*", "", text), re.DOTALL).group(1)
    return re.findall(r"^  [\w:]+ (\w+)(?: = [^;]*)?;", body, re.MULTILINE)


def check_fields():
    """The page on memory names every field of what counts."""
    assert fields_of("struct s {\n  int a = 0;  ///< b;\n  std::string c;\n  void f();\n};\n", "s") == ["a", "c"]
    page = (ROOT / "docs/building_ahead.md").read_text()
    for header, struct in (("counters", "counters"), ("pool", "pool_counts")):
        text = (ROOT / f"include/fusion/runtime/{header}.hpp").read_text()
        for field in fields_of(text, struct):
            if f"`{field}`" not in page:
                yield f"docs/building_ahead.md does not say what {field} of {struct} is"


def documents():
    return [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]


def anchors_of(text):
    """What GitHub calls the headings of a page: lower case, blanks as hyphens, without punctuation."""
    anchors, seen = set(), {}
    for heading in re.findall(r"^#+ +(.+?) *#*$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        anchors.add(f"{name}-{seen[name]}" if name in seen else name)
        seen[name] = seen.get(name, 0) + 1
    return anchors


def check_links():
    assert anchors_of("# A `b_c`, d\n```\n# e\n```\n## [F](g.md): h\n## f h\n## f h\n") == {"a-b_c-d", "f-h", "f-h-1", "f-h-2"}
    for path in documents():
        text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
        for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?[^)]*\)", text):
            page = path.parent / target if target else path
            if "://" in target:
                continue
            if not page.exists():
                yield f"{path.relative_to(ROOT)}: link to {target}, which does not exist"
            elif anchor and page.suffix == ".md" and anchor not in anchors_of(page.read_text()):
                yield f"{path.relative_to(ROOT)}: link to {target}#{anchor}, where no heading is called so"


def check_decisions():
    records = {path.name: path.read_text().splitlines()[0] for path in (ROOT / "docs/decisions").glob("[0-9]*.md")}
    rows = dict(re.findall(r"^\| \[\d+\]\((.*?)\) \| (.*) \|$", (ROOT / "docs/decisions/README.md").read_text(), re.MULTILINE))
    for name in sorted(records.keys() | rows.keys()):
        if name not in rows or records.get(name) != f"# {name[:4]}: {rows[name]}":
            yield f"docs/decisions/README.md: the row of {name} is not its heading"


def check_scripts():
    for path in documents():
        for block in re.findall(r"```sh\n(.*?)```", path.read_text(), re.DOTALL):
            for script in re.findall(r"^((?:bench|tools)/[\w.-]+)", block, re.MULTILINE):
                if not os.access(ROOT / script, os.X_OK):
                    yield f"{path.relative_to(ROOT)}: {script} cannot be run: it is not there, or is not executable"


def check_quick_start():
    example = ROOT / "examples/quick_start/quick_start.cpp"
    shown = re.search(r"```cpp\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    if shown is None or shown.group(1) != example.read_text():
        yield f"the first C++ example of README.md differs from {example.relative_to(ROOT)}"


def check_snippets():
    """Every C++ block of these pages is a part of an example, whatever its indentation."""
    pages = [ROOT / "README.md"] + [ROOT / f"docs/{page}.md" for page in PAGES_OF_EXAMPLES]

    def lines_of(text):
        return "\n".join(["", *(line.strip() for line in text.strip().splitlines()), ""])

    sources = [lines_of(path.read_text()) for path in (ROOT / "examples").rglob("*.[ch]pp")]
    for page in pages:
        for block in re.findall(r"```cpp\n(.*?)```", page.read_text(), re.DOTALL):
            if not any(lines_of(block) in source for source in sources):
                yield f"{page.relative_to(ROOT)}: no example contains '{block.strip().splitlines()[0]}' and what follows it"


def check_table_of_names():
    """The first and the last column of a row are the two sides of a comparison."""
    def squeezed(text):
        return re.sub(r"\s", "", text)

    rows = [[re.sub(r"^`|`$", "", cell.strip()) for cell in row.strip("|").split(" | ")]
            for row in re.findall(r"^\| `.*\|$", (ROOT / "docs/names.md").read_text(), re.MULTILINE)]
    shown = {squeezed(f"{cells[0]},{cells[-1].rstrip(' |`')}") for cells in rows}
    test = (ROOT / "test/device/names_test.cpp").read_text()
    compared = {squeezed(line) for line in re.findall(r"^  AGREE\((.*?)\);$", test, re.MULTILINE | re.DOTALL)}
    for line in sorted(shown - compared):
        yield f"docs/names.md shows {line}, which test/device/names_test.cpp does not compare"
    for line in sorted(compared - shown):
        yield f"docs/names.md does not show {line}, which test/device/names_test.cpp compares"


def main():
    findings = [*check_environment(), *dict.fromkeys(check_rooms()), *check_links(), *check_decisions(), *check_scripts(),
                *check_quick_start(), *check_snippets(), *dict.fromkeys(check_names()), *check_table_of_names(), *check_fields()]
    for finding in findings:
        print(finding)
    print(f"{len(findings)} findings")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
