"use strict";
// Everything shown comes from /api/v1 with the token that was entered, and goes into the page as text.

const main = document.getElementById("main"), problem = document.getElementById("problem"), leave = document.getElementById("leave");
const token = { get: () => sessionStorage.getItem("token"), set: value => sessionStorage.setItem("token", value), drop: () => sessionStorage.removeItem("token") };

class Refused extends Error { constructor(status, message) { super(message); this.status = status; } }

// A body is a file, or becomes JSON.
async function api(path, method = "GET", body) {
  const isFile = body instanceof Blob, type = isFile ? "application/octet-stream" : "application/json";
  const answer = await fetch("api/v1" + path, { method, headers: { Authorization: "Bearer " + token.get(), ...(body ? { "Content-Type": type } : {}) }, body: isFile ? body : body && JSON.stringify(body) });
  const found = answer.status === 204 ? null : await answer.json().catch(() => null);
  if (!answer.ok) throw new Refused(answer.status, found?.error?.message ?? "the hub says " + answer.status);
  return found;
}

const handlers = ["click", "change", "input", "submit", "toggle"];

// What changes seldom, asked for once in so many seconds.
const known = new Map();
let knownTurn = 0;
function forgetKnown() { known.clear(); knownTurn++; }
async function recent(path, seconds) {
  const before = known.get(path);
  if (before && Date.now() < before.until) return before.found;
  const asking = token.get(), turn = knownTurn, found = await api(path);
  if (token.get() === asking && turn === knownTurn) known.set(path, { found, until: Date.now() + seconds * 1000 });
  return found;
}

// Elements: make("td", { class: "number" }, "text", child, ...)
function make(name, attributes = {}, ...children) {
  const element = name.startsWith("svg:") ? document.createElementNS("http://www.w3.org/2000/svg", name.slice(4)) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (handlers.includes(key)) element["on" + key] = value; else if (value != null) element.setAttribute(key, value);
  element.append(...children.filter(child => child != null));
  return element;
}

// Boards say what they like, also what is no text.
const text = value => value == null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

function ago(time) {
  if (!time) return "never";
  if (typeof time !== "string") return text(time);
  const seconds = Math.max(0, (Date.now() - Date.parse(time)) / 1000);
  if (Number.isNaN(seconds)) return text(time);
  for (const [unit, length] of [["d", 86400], ["h", 3600], ["min", 60]]) if (seconds >= length) return Math.floor(seconds / length) + " " + unit + " ago";
  return Math.floor(seconds) + " s ago";
}

// Boards of all makes tell of themselves: what is no number is not shown as one.
const fixed = (value, places, unit) => Number.isFinite(value) ? value.toFixed(places) + unit : "";
const megabytes = bytes => fixed(bytes / 1e6, 1, " MB");
function waiting({ spool_files: files, spool_bytes: bytes }) {
  if (!Number.isFinite(files)) return "";
  return files === 0 ? "nothing" : [files + (files === 1 ? " file" : " files"), megabytes(bytes)].filter(Boolean).join(", ");
}
const state = name => make("span", { class: "state " + name }, name.replace("_", " "));

// A fall as the board tells it; nothing once its wearer is up again or somebody cancelled it, unless all of them are asked for.
const falls = ["impact", "fallen", "alarm", "recovered", "cancelled"];
const fall = (metadata, all = false) => falls.includes(metadata.fall) && (all || falls.indexOf(metadata.fall) < 3)
  ? make("span", {}, make("span", { class: "state " + metadata.fall }, "fall: " + metadata.fall), metadata.fall_at ? " " : "", metadata.fall_at ? ago(metadata.fall_at) : "") : "";

// Shares of 100, side by side.
function bar(parts) {
  const picture = make("svg:svg", { class: "bar", viewBox: "0 0 100 1", preserveAspectRatio: "none", role: "img", "aria-label": parts.map(part => part.label).join(", ") });
  let from = 0;
  for (const part of parts) {
    picture.append(make("svg:rect", { x: from, y: 0, width: Math.max(0, part.share), height: 1, class: part.kind }));
    from += part.share;
  }
  return picture;
}

// Names of columns are texts or elements; those of cards on a telephone are `labels`.
function table(names, rows, kind = "cards", labels = names) {
  return make("div", { class: "scroll" }, make("table", { class: kind },
    make("thead", {}, make("tr", {}, ...names.map(name => name instanceof Element ? name : make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...rows.map(cells => make("tr", {}, ...cells.map((cell, index) => {
      const wide = cell?.wide != null, content = wide ? cell.wide : cell;
      return make("td", { "data-name": index ? labels[index] : null, class: wide ? "wide" : null }, ...(content == null || content === "" ? [] : [content]));
    }))))));
}

function login() {
  const box = make("input", { type: "password", autocomplete: "current-password", "aria-label": "Token", placeholder: "gwp_…" });
  const submit = event => { event.preventDefault(); forget(); token.set(box.value.trim()); shownUntil = 0; show(); };
  // Password managers keep a name beside what they keep.
  const name = make("input", { type: "text", autocomplete: "username", value: "hub", hidden: "", "aria-hidden": "true", tabindex: -1 });
  return [make("form", { submit }, make("h1", {}, "Log in"), make("p", {}, "With a token that ", make("code", {}, "gaitway-hub tokens create"), " made."), name,
    make("div", { class: "row" }, box, make("button", { type: "submit" }, "Log in")))];
}

// Changes what is shown into `parts`, in place: focus, what is being typed and what was opened stay, and nothing is drawn that has not
// changed.
function patch(place, parts) {
  const before = [...place.childNodes];
  parts.forEach((part, index) => {
    if (index >= before.length) place.append(part); else if (!merge(before[index], part)) before[index].replaceWith(part);
  });
  for (const node of before.slice(parts.length)) node.remove();
}

function merge(old, fresh) {
  if (old.nodeName !== fresh.nodeName || old.dataset?.key !== fresh.dataset?.key) return false;
  if (old.nodeType === Node.TEXT_NODE) { if (old.data !== fresh.data) old.data = fresh.data; return true; }
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const name of handlers) old["on" + name] = fresh["on" + name];
  patch(old, [...fresh.childNodes]);
  // What was chosen is no attribute.
  if (old.type === "checkbox") old.checked = fresh.checked;
  else if ((old.type === "search" || old.nodeName === "SELECT") && old !== document.activeElement) old.value = fresh.value;
  return true;
}

// Nothing that one token showed stays for the next.
function forget() { token.drop(); made = need = null; forgetKnown(); unfolded.clear(); }

// Until when what went wrong is shown, however often the page looks again.
let shownUntil = 0;
async function act(body) {
  shownUntil = 0;
  try { await body(); } catch (error) { complain(error); if (error.status !== 401) shownUntil = Date.now() + 20000; return; } finally { forgetKnown(); }
  show();
}

function complain(error) {
  if (error instanceof Refused && error.status === 401) { forget(); show(); }
  problem.textContent = error.status === 401 ? "This token is not valid here." : error.message;
  problem.hidden = false;
}

// A view for each place of the address; each gives what is to be shown.
const views = { "": () => boards(), device: id => board(id), models: () => modelList(), rollouts: () => rollouts(), crowd: () => crowd(), changes: () => changes() };

let shown = 0, view = null;
async function show() {
  const turn = ++shown, [, place = "", id] = location.hash.split("?")[0].split("/"), key = place + "/" + (id ?? "");
  leave.hidden = !token.get();
  if (!token.get()) { view = null; main.replaceChildren(...login()); return; }
  try {
    const parts = (await (views[place] ?? views[""])(id)).filter(part => part != null);
    if (turn !== shown) return; // Somebody has gone elsewhere meanwhile.
    if (key === view) patch(main, parts); else main.replaceChildren(...parts);
    view = key;
    if (Date.now() > shownUntil) problem.hidden = true;
  } catch (error) {
    if (turn !== shown) return;
    if (key !== view) { view = null; main.replaceChildren(); }
    complain(error);
  }
}

leave.addEventListener("click", () => { forget(); problem.hidden = true; show(); });
addEventListener("hashchange", () => { shownUntil = 0; show(); });
setInterval(() => { if (token.get() && !document.hidden) show(); }, 5000);
addEventListener("DOMContentLoaded", show);
