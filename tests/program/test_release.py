"""What a release relies on, as far as it costs nothing to look: `release/check` builds it."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((REPOSITORY / ".github/workflows").glob("*.yml"))
PUBLISHED = {"lift-syntax": "syntax", "lift-analysis": "analysis", "lift-codegen": "codegen", "lift-lang": "server"}


def ran(*command: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )


def scripts() -> set[str]:
    """The scripts of the repository that workflows call."""
    steps = [line for file in WORKFLOWS for line in file.read_text().splitlines() if re.search(r"\brun: ", line)]
    return {name for step in steps for name in re.findall(r"(?<![\w./])(?:release|tests)/[\w-]+", step)}


def test_there_is_one_version():
    checked = ran("release/version", "--check")
    assert checked.returncode == 0, checked.stderr
    version = checked.stdout.strip()
    wrong = ran("release/version", "--check", GITHUB_REF_NAME="v99.0.0")
    assert wrong.returncode == 1 and f"the tag v99.0.0 is not v{version}" in wrong.stderr
    assert ran("release/version", "--check", GITHUB_REF_NAME=f"v{version}").returncode == 0
    assert ran("release/version", "1.x").returncode == 2


def test_a_version_that_differs_somewhere_is_found(tmp_path):
    files = set(re.findall(r'^    \("([^"]+)",', (REPOSITORY / "release/version").read_text(), re.MULTILINE))
    for file in [*files, "release/version"]:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes((REPOSITORY / file).read_bytes())
    script = [str(tmp_path / "release/version")]
    (tmp_path / "release/version").chmod(0o755)
    assert ran(*script, "7.8.9").stdout == "7.8.9\n"
    for file in files:
        text = (tmp_path / file).read_text()
        assert "7.8.9" in text
        (tmp_path / file).write_text(text.replace("7.8.9", "7.8.8", 1))
        found = ran(*script, "--check")
        assert found.returncode == 1 and ("7.8.8" in found.stderr), file
        (tmp_path / file).write_text(text)
    assert ran(*script, "--check").returncode == 0


def test_crates_have_what_a_registry_asks_for():
    told = ran("cargo", "metadata", "--no-deps", "--offline", "--format-version=1")
    packages = {package["name"]: package for package in json.loads(told.stdout)["packages"]}
    assert {name for name, package in packages.items() if package["publish"] is None} == PUBLISHED.keys()
    for name, folder in PUBLISHED.items():
        package, manifest = packages[name], REPOSITORY / folder
        assert Path(package["manifest_path"]).parent == manifest
        assert package["description"] and package["license"] and package["rust_version"]
        assert 1 <= len(package["keywords"]) <= 5 and package["categories"]
        assert (manifest / package["readme"]).is_file()
        assert all((manifest / licence).is_file() for licence in ("LICENSE-MIT", "LICENSE-APACHE"))
        for needed in package["dependencies"]:
            # A published crate needs a version besides the path.
            assert needed["req"] != "*", f"{name} names no version of {needed['name']}"


def test_crates_include_nothing_that_is_outside_of_them():
    found = []
    for folder in PUBLISHED.values():
        root = REPOSITORY / folder
        for file in sorted((root / "src").rglob("*.rs")):
            if "tests" in file.relative_to(root).with_suffix("").parts:
                continue
            text = file.read_text().split("#[cfg(test)]\nmod ")[0]
            for path in re.findall(r'include_(?:str|bytes)!\((?:concat!\()?"([^"]+)"', text):
                if not (file.parent / path).resolve().is_relative_to(root):
                    found.append(f"{file}: {path}")
    assert not found


@pytest.mark.parametrize("name", sorted(scripts() | {f"release/{p.name}" for p in (REPOSITORY / "release").iterdir()}))
def test_scripts_of_a_release_tell_what_they_do(name):
    if name.endswith(".md"):
        return
    helped = ran(name, "--help")
    assert helped.returncode == 0, helped.stderr
    assert name.split("/")[1] in helped.stdout


def test_workflows_call_scripts_and_pin_actions():
    assert len(scripts()) >= 5 and len(WORKFLOWS) == 2
    for file in WORKFLOWS:
        text = file.read_text()
        for action in re.findall(r"uses: (.*)", text):
            assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v[\d.]+", action), action
        assert re.search(r"^permissions:\n  contents: read$", text, re.MULTILINE), file


def test_each_target_has_names_of_its_own():
    rows = json.loads(ran("release/targets", "--matrix").stdout)["include"]
    assert len({row["vscode"] for row in rows}) == len({row["rust"] for row in rows}) == len(rows) >= 8
    assert all(row["runner"] in {"ubuntu-24.04", "macos-15", "windows-2025"} for row in rows)
    assert ran("release/targets", rows[0]["rust"], "vscode").stdout.strip() == rows[0]["vscode"]
