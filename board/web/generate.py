#!/usr/bin/env python3
"""Pages of the manual as HTML: generate.py DIRECTORY [MODULE ...]. board/site calls it, with the modules whose reference lies there."""
import html
import json
import pathlib
import re
import shutil
import sys

import markdown

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEB = ROOT / "board/web"
GUIDE = ["sensors", "service", "own-activities", "models", "uploads", "stream", "day", "home", "fleet", "containers", "crowd", "swift-and-c", "numbers",
         "formats", "security", "seeds", "architecture"]
# Where each page goes; whatever else they link to is copied beside them.
PAGES = {"README.md": "index.html"}
PAGES |= {f"board/guide/{name}.md": f"guide/{name}.html" for name in GUIDE}
PAGES |= {"board/boards/raspberry-pi.md": "boards/raspberry-pi.html", "board/boards/beaglebone.md": "boards/beaglebone.html",
          "board/models/README.md": "models/index.html", "CHANGELOG.md": "changes.html", "CONTRIBUTING.md": "contributing.html",
          "SECURITY.md": "report.html"}
SECTIONS = {"Start": ["README.md", "board/boards/raspberry-pi.md", "board/boards/beaglebone.md"],
            "Guide": [f"board/guide/{name}.md" for name in GUIDE],
            "More": ["board/models/README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]}


def version():
    text = (ROOT / "Sources/Base/Support/Machine/Version.swift").read_text()
    return re.search(r'gaitwayVersion = "([^"]+)"', text).group(1)


def title(path):
    return re.search(r"^# (.+)$", (ROOT / path).read_text(), re.M).group(1)


def relative(target, page):
    """From one page of the site to a file of it."""
    return "../" * (len(pathlib.PurePosixPath(page).parts) - 1) + target


class Site:
    def __init__(self, out, modules):
        self.out, self.modules, self.index = out, modules, []
        missing = sorted(path.name for path in (ROOT / "board/guide").glob("*.md") if f"board/guide/{path.name}" not in PAGES)
        if missing:
            sys.exit(f"generate.py: no place for {', '.join(missing)} in GUIDE")

    def link(self, source, page, found):
        """A link of the Markdown file `source`, as the page `page` has it."""
        address = found.group(2)
        if re.match(r"[a-z]+:|#", address):
            return found.group(0)
        path, _, anchor = address.partition("#")
        target = ((ROOT / source).parent / path).resolve()
        try:
            name = target.relative_to(ROOT).as_posix()
        except ValueError:
            return found.group(0)
        if name in PAGES:
            to = PAGES[name]
        elif target.is_file():
            to = f"files/{name}"
            (self.out / to).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(target, self.out / to)
        else:
            sys.exit(f"generate.py: {source} links to {address}, which is no file")
        return f'{found.group(1)}{relative(to, page)}{"#" + anchor if anchor else ""}"'

    def navigation(self, page):
        parts = []
        for section, sources in SECTIONS.items():
            rows = [(PAGES[source], title(source)) for source in sources]
            items = "".join(
                f'<li><a href="{relative(to, page)}"{" aria-current=page" if to == page else ""}>{html.escape(name)}</a></li>' for to, name in rows)
            parts.append(f"<h2>{section}</h2><ul>{items}</ul>")
        rows = [f'<li><a href="{relative(f"reference/documentation/{name.lower()}/", page)}">{name}</a></li>' for name in self.modules]
        return "".join(parts) + (f"<h2>Reference</h2><ul>{''.join(rows)}</ul>" if rows else "")

    def write(self, source):
        page = PAGES[source]
        # Python's Markdown wants an empty line before a list, where GitHub does not.
        text = re.sub(r"^((?!\s*[*-] |\s*$|\|).*\n)(\* )", r"\1\n\2", (ROOT / source).read_text(), flags=re.M)
        body = markdown.Markdown(extensions=["tables", "fenced_code", "toc", "sane_lists"]).convert(text)
        body = re.sub(r'(<(?:a href|img alt="[^"]*" src)=")([^"]+)"', lambda found: self.link(source, page, found), body)
        body = re.sub(r"<table>.*?</table>", lambda found: f'<div class="wide" tabindex="0">{found.group(0)}</div>', body, flags=re.S)
        # A cell without words is no header to a screen reader.
        body = body.replace("<pre>", '<pre tabindex="0">').replace("<th></th>", "<td></td>")
        self.note(page, title(source), body)
        (self.out / page).parent.mkdir(parents=True, exist_ok=True)
        (self.out / page).write_text(TEMPLATE.format(
            title=html.escape(title(source)), root=relative("", page), navigation=self.navigation(page), body=body, version=version(),
            source=source))

    def note(self, page, name, body):
        """Each part of a page, from one heading to the next, for the search."""
        parts = re.split(r'<h[1-3] id="([^"]*)">(.*?)</h[1-3]>', body, flags=re.S)
        for anchor, heading, text in zip(parts[1::3], parts[2::3], parts[3::3]):
            plain = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())
            heading = html.unescape(re.sub(r"<[^>]+>", "", heading))
            self.index.append({"page": page, "anchor": anchor, "title": name if heading == name else f"{name}: {heading}", "text": plain})

    def build(self):
        for source in PAGES:
            self.write(source)
        for name in ("site.css", "site.js"):
            shutil.copy(WEB / name, self.out / name)
        # A script, since pages of a disk may not fetch.
        (self.out / "search.js").write_text(f"const searchIndex = {json.dumps(self.index, ensure_ascii=False)};\n")
        print(f"{self.out}/index.html: {len(PAGES)} pages, {len(self.index)} parts to search{', with the reference of ' + ', '.join(self.modules) if self.modules else ''}")


TEMPLATE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · Gaitway</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{root}site.css">
</head>
<body data-root="{root}">
<a class="skip" href="#content">To the content</a>
<header>
<a class="name" href="{root}index.html">Gaitway {version}</a>
<form role="search"><label for="search">Search</label> <input id="search" type="search" autocomplete="off"></form>
</header>
<div class="columns">
<nav aria-label="Pages"><details><summary>Pages</summary>{navigation}</details></nav>
<main id="content" tabindex="-1">
<section id="results" aria-live="polite" hidden></section>
<article>{body}</article>
</main>
</div>
<footer>Gaitway {version} · {source}</footer>
<script src="{root}search.js"></script>
<script src="{root}site.js"></script>
</body>
</html>
"""

if __name__ == "__main__":
    Site(pathlib.Path(sys.argv[1]), sys.argv[2:]).build()
