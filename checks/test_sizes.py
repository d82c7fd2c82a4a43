"""Hand-written source and tests stay small: 400 lines a file, 50 a function, five parameters."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks.conftest import Plant
from checks.functions import Function, functions
from checks.listing import REPOSITORY, files, read

FILE_LINES = 400
FUNCTION_LINES = 50
PARAMETERS = 5
_SOURCES = (".py", ".rs", ".go", ".sh", ".java")
_GENERATED = ("_pb2.py", "_pb2_grpc.py", ".pb.go")


def oversized(root: Path) -> list[str]:
    """Return each source file and function beyond its limit."""
    found = []
    for path in files(root, *_SOURCES):
        text = read(path)
        if path.name.endswith(_GENERATED):
            continue
        name = path.relative_to(root)
        lines = text.count("\n")
        if lines > FILE_LINES:
            found.append(f"{name}: {lines} lines")
        for function in functions(path.suffix, text):
            place = f"{name}:{function.line}: {function.name}"
            if function.length > FUNCTION_LINES:
                found.append(f"{place}: {function.length} lines")
            if function.parameters > PARAMETERS:
                found.append(f"{place}: {function.parameters} parameters")
    return found


def test_files_and_functions_are_small() -> None:
    assert oversized(REPOSITORY) == []


def test_a_long_file_is_found(plant: Plant) -> None:
    assert oversized(plant({"a.py": "\n" * 401, "b.rs": "\n" * 400})) == ["a.py: 401 lines"]


@pytest.mark.parametrize(
    ("name", "opening", "closing"),
    [
        ("a.py", "def long() -> None:", ""),
        ("a.rs", "fn long() {", "}"),
        ("a.go", "func long() {", "}"),
        ("a.java", "void long() {", "}"),
    ],
)
def test_a_long_function_is_found(plant: Plant, name: str, opening: str, closing: str) -> None:
    body = "    step()\n" * 50
    [found] = oversized(plant({name: f"{opening}\n{body}{closing}\n"}))
    assert found.startswith(f"{name}:1: long: 5")


def test_many_parameters_are_found(plant: Plant) -> None:
    rust = "impl A { fn many(&mut self, a: (u8, u8), b: HashMap<u8, u8>, c: &str, d: [u8; 3], e: u8, f: u8) {} }"
    go = "func (s *S) Many(ctx context.Context, a, b int, c func(int, int) bool, d map[string]int, e ...any) {}"
    java = (
        "record R(int a, int b, int c, int d, int e, int f) {}\n"
        "class C { <T> Map<T, int[]> many(Map<T, T> a, int b, int c,\n"
        "@X(y = 1) int d, int e, int... f) throws A, B { return call(a, b, c, d, e, f); } }"
    )
    assert oversized(plant({"a.rs": rust, "b.go": go, "c.java": java})) == [
        "a.rs:1: many: 6 parameters",
        "b.go:1: Many: 6 parameters",
        "c.java:2: many: 6 parameters",
    ]


def test_braces_and_quotes_in_texts_do_not_count() -> None:
    rust = (
        "fn a<'a>(x: &'a str) -> [u8; 2] {\n"
        '    let (open, raw) = (\'{\', r#"}"{"#); // }\n'
        "}\n"
        "trait T { fn b(&self); }\n"
        "fn c() {}\n"
    )
    assert functions(".rs", rust) == [Function("a", 1, 3, 1), Function("b", 4, 1, 0), Function("c", 5, 1, 0)]
    go = 'func a[T any](x T) (int, error) {\n\ts, q := `}`, "\\"}"\n\tif x < 3 { }\n}\nfunc b() { ch <- 1 }\n'
    assert functions(".go", go) == [Function("a", 1, 4, 1), Function("b", 5, 1, 0)]
    java = (
        '@Named("a")\n'
        "class C {\n"
        '  C(int x) { this.text = """\n  { "{" // }\n  """; if (x > 3) { call(\'}\', "\\"{"); } }\n'
        "  abstract int b(int x, int y) throws E;\n"
        "  @Override public void o(int x, int y) {}\n"
        "  void c() {\n"
        "    list.forEach(x -> { d(x); });\n"
        "    var e = new F(1) { int g() { return h(2); } };\n"
        "  }\n"
        "}\n"
    )
    assert functions(".java", java) == [
        Function("C", 3, 3, 1),
        Function("b", 6, 1, 2),
        Function("o", 7, 1, 0),
        Function("c", 8, 4, 0),
        Function("g", 10, 1, 0),
    ]
