# SPDX-License-Identifier: Apache-2.0
"""The parts of the site that MkDocs does not have: a hook, named in mkdocs.yml.

Pages link to files outside docs/ and in docs/examples by relative paths, as a code host needs them.
In the site, each of these files gets a page that shows it, so links work without a code host and
show the files of the same version. A folder gets a page that lists its files. The documents of
PROJECT become pages in small letters (readme.md), and api.md has the docstrings of what `bombus`
exports (api_reference.py). Links to missing files are left to MkDocs, which reports them.

With a version in the environment (SITE_VERSION, from `make site VERSION=`) the site is one of
several beside each other: `versions.json` lists them for the menu of the theme, and `index.html`
leads to the latest.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pymdownx.slugs
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page
from pygments.lexers import find_lexer_class_for_filename

ROOT = Path(__file__).resolve().parents[1]
VERSION = "SITE_VERSION"  # in the environment
API = "api.md"
PROJECT = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
PICTURES = PurePosixPath("docs/pictures")

_FENCED = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()([^)\s#]+)(?=(?:#[^)\s]*)?\))")
_PICTURE = re.compile(r'<img [^>]*src="([^"]+)"[^>]*>')
_UNLISTED = ("__pycache__", ".")  # how names of files and folders begin that no page lists


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Gives headings the same anchors as code hosts do."""
    slugify = pymdownx.slugs.slugify(case="lower")
    config.mdx_configs.setdefault("toc", {})["slugify"] = slugify
    if os.environ.get(VERSION):
        config.extra["version"] = {"provider": "mike"}  # the theme reads ../versions.json
    return config


def source_of(page: str) -> PurePosixPath:
    """The path in the repository of a page of the site, given by its path in the site."""
    for name in PROJECT:
        if page == name.lower():
            return PurePosixPath(name)
    return PurePosixPath("docs") / page


def page_of(path: PurePosixPath) -> str | None:
    """The site's page or picture for a path in the repository; None if it does not exist."""
    file = ROOT / path
    if not file.exists() or path.is_absolute() or ".." in path.parts:
        return None
    if str(path) in PROJECT:
        return str(path).lower()
    if path.parts[:1] == ("docs",) and (path.suffix == ".md" or PICTURES in path.parents):
        return str(path.relative_to("docs"))
    return f"source/{path}/index.md" if file.is_dir() else f"source/{path}.md"


def _target(page: str, link: str) -> PurePosixPath:
    """The path in the repository that a page's link names."""
    return PurePosixPath(os.path.normpath(source_of(page).parent / link))


def links(page: str, text: str) -> Iterator[PurePosixPath]:
    """The paths in the repository that a page links to outside of code blocks."""
    for link in _LINK.findall(_FENCED.sub("", text)):
        if ":" not in link:
            yield _target(page, link)


def linked(page: str, text: str) -> str:
    """The text of a page with the links of the site."""

    def renewed(match: re.Match[str]) -> str:
        found = None if ":" in match[0] else page_of(_target(page, match[0]))
        return match[0] if found is None else os.path.relpath(found, PurePosixPath(page).parent)

    parts = []
    end = 0
    for block in _FENCED.finditer(text):
        parts += [_LINK.sub(renewed, text[end : block.start()]), block[0]]
        end = block.end()
    return "".join((*parts, _LINK.sub(renewed, text[end:])))


def _listed(folder: PurePosixPath) -> list[PurePosixPath]:
    names = sorted((ROOT / folder).iterdir(), key=lambda each: (each.is_dir(), each.name))
    return [folder / each.name for each in names if not each.name.startswith(_UNLISTED)]


def shown(path: PurePosixPath) -> str:
    """The text of the page that shows a file or lists a folder."""
    head = f"---\ntitle: {path.name}\nsearch:\n  exclude: true\n---\n# `{path}`\n\n"
    file = ROOT / path
    if file.is_dir():
        names = (f"{each.name}{'/' * (ROOT / each).is_dir()}" for each in _listed(path))
        found = (f"{each.name}{'/index' * (ROOT / each).is_dir()}.md" for each in _listed(path))
        return head + "".join(f"- [{a}]({b})\n" for a, b in zip(names, found, strict=True))
    text = file.read_text(encoding="utf-8")
    fence = "`" * max(3, *(len(each) + 1 for each in re.findall("`+", text)), 0)
    lexer = find_lexer_class_for_filename(file.name)
    language = lexer.aliases[0] if lexer is not None and lexer.aliases else "text"
    return f'{head}{fence}{{ .{language} linenums="1" }}\n{text.rstrip()}\n{fence}\n'


def _api() -> str:
    sys.path.append(str(ROOT / "tools"))
    import api_reference

    return api_reference.page()


def write_versions(folder: Path) -> list[str]:
    """Lists the versions in a folder, the latest first, in the files that readers begin with."""
    found = [each.parent.name for each in folder.glob("*/index.html")]
    names = sorted(found, key=lambda name: [int(n) for n in re.findall(r"\d+", name)], reverse=True)
    listed = [{"version": name, "title": name, "aliases": []} for name in names]
    (folder / "versions.json").write_text(json.dumps(listed), encoding="utf-8")
    address = f"{names[0]}/index.html"
    (folder / "index.html").write_text(
        f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={address}">'
        f'<a href="{address}">{names[0]}</a>\n',
        encoding="utf-8",
    )
    return names


def on_post_build(config: MkDocsConfig) -> None:
    """Makes the site one of several, if it has a version."""
    if os.environ.get(VERSION):
        write_versions(Path(config.site_dir).parent)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the documents of PROJECT, and a page for each file and folder that a page links to."""
    for name in PROJECT:
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, name.lower(), content=text))
    files.append(File.generated(config, API, content=_api()))
    wanted = {
        path
        for file in files.documentation_pages()
        for path in links(file.src_uri, file.content_string)
    }
    while wanted:
        path = wanted.pop()
        page = page_of(path)
        if page is None or not page.startswith("source/") or page in files.src_uris:
            continue
        if (ROOT / path).is_dir():
            wanted |= set(_listed(path))
        file = File.generated(config, page, content=shown(path))
        file.inclusion = InclusionLevel.NOT_IN_NAV
        files.append(file)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Renews the links of a page."""
    del config, files
    uri = page.file.src_uri
    return markdown if uri.startswith("source/") else linked(uri, markdown)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Makes each picture a link to itself, so that a phone can enlarge it."""
    del page, config, files
    return _PICTURE.sub(r'<a class="picture" href="\1">\g<0></a>', html)
