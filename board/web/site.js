// Search over all pages, and the list of pages open where there is room for it.
"use strict";
const root = document.body.dataset.root;
const input = document.getElementById("search"), results = document.getElementById("results"), article = document.querySelector("article");
const pages = document.querySelector("nav details"), wide = matchMedia("(min-width: 56rem)");

function openPages() { pages.open = wide.matches; }
wide.addEventListener("change", openPages);
openPages();

// How well a part fits: words in its heading count most, and every word has to be there.
function score(part, words) {
    const title = part.title.toLowerCase(), text = part.text.toLowerCase();
    let sum = 0;
    for (const word of words) {
        const times = text.split(word).length - 1;
        if (!title.includes(word) && times === 0) { return 0; }
        sum += (title.includes(word) ? 20 : 0) + Math.min(times, 5);
    }
    return sum;
}

function excerpt(text, word) {
    const at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
    return (at > 0 ? "… " : "") + text.slice(at, at + 180) + (at + 180 < text.length ? " …" : "");
}

function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter((word) => word.length > 1);
    results.hidden = words.length === 0;
    article.hidden = words.length > 0;
    if (words.length === 0) { return; }
    const found = searchIndex.map((part) => ({ part, score: score(part, words) })).filter((one) => one.score > 0)
        .sort((a, b) => b.score - a.score);
    const heading = document.createElement("h1"), list = document.createElement("ul");
    heading.textContent = found.length === 1 ? "1 part has that" : `${found.length} parts have that`;
    for (const { part } of found.slice(0, 30)) {
        const item = document.createElement("li"), link = document.createElement("a"), text = document.createElement("p");
        link.href = `${root}${part.page}#${part.anchor}`;
        link.textContent = part.title;
        link.addEventListener("click", () => { input.value = ""; show(); });
        text.textContent = excerpt(part.text, words[0]);
        item.append(link, text);
        list.append(item);
    }
    results.replaceChildren(heading, list);
}

input.addEventListener("input", show);
document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
