"use strict";
// Everything shown comes from /api/v1 with the token that was entered, and goes into the page as text.

const main = document.getElementById("main"), problem = document.getElementById("problem"), leave = document.getElementById("leave");
const token = { get: () => sessionStorage.getItem("token"), set: value => sessionStorage.setItem("token", value), drop: () => sessionStorage.removeItem("token") };

class Refused extends Error { constructor(status, message) { super(message); this.status = status; } }

async function api(path, method = "GET", body) {
  const answer = await fetch("api/v1" + path, { method, headers: { Authorization: "Bearer " + token.get(), ...(body ? { "Content-Type": "application/json" } : {}) }, body: body && JSON.stringify(body) });
  const found = answer.status === 204 ? null : await answer.json().catch(() => null);
  if (!answer.ok) throw new Refused(answer.status, found?.error?.message ?? "the hub says " + answer.status);
  return found;
}

// Elements: make("td", { class: "number" }, "text", child, ...)
function make(name, attributes = {}, ...children) {
  const element = name.startsWith("svg:") ? document.createElementNS("http://www.w3.org/2000/svg", name.slice(4)) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (key === "click") element.addEventListener("click", value); else if (value != null) element.setAttribute(key, value);
  element.append(...children.filter(child => child != null));
  return element;
}

const text = value => value == null || value === "" ? "" : String(value);

function ago(time) {
  if (!time) return "never";
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

function table(names, rows, kind = "cards") {
  return make("div", { class: "scroll" }, make("table", { class: kind },
    make("thead", {}, make("tr", {}, ...names.map(name => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...rows.map(cells => make("tr", {}, ...cells.map((cell, index) => {
      const wide = cell?.wide, content = wide ? cell.wide : cell;
      return make("td", { "data-name": index ? names[index] : null, class: wide ? "wide" : null }, ...(content == null || content === "" ? [] : [content]));
    }))))));
}

async function boards() {
  const asked = new URLSearchParams(location.hash.split("?")[1] ?? ""), search = asked.get("search") ?? "", chosen = asked.get("connectivity") ?? "";
  const place = (search, chosen) => "#/?" + new URLSearchParams({ ...search && { search }, ...chosen && { connectivity: chosen } });
  const filter = "&search=" + encodeURIComponent(search) + (chosen && "&connectivity=" + encodeURIComponent(chosen));
  const [fleet, found, asking] = await Promise.all([api("/fleet"), api("/devices?limit=200" + filter), api("/waiting-boards")]);
  const approve = board => make("button", { type: "button", click: () => act(() => api(`/waiting-boards/${board.id}/approve`, "POST", {})) }, "Approve");
  const refuse = board => make("button", { type: "button", click: () => act(() => api(`/waiting-boards/${board.id}`, "DELETE")) }, "Refuse");
  const all = fleet.versions.reduce((sum, entry) => sum + entry.devices, 0);
  const box = make("input", { type: "search", placeholder: "Search by name", "aria-label": "Search by name", value: search });
  box.addEventListener("change", () => { location.hash = place(box.value, chosen); });
  return [
    make("h1", {}, "Boards"),
    ...(asking.boards.length ? [make("h2", {}, "Boards that ask to register"), table(["board", "key", "asked", "state", ""], asking.boards.map(board => [
      board.device_identifier, board.key ?? "none", ago(board.asked_at), state(board.status),
      make("span", { class: "row" }, ...(board.status === "waiting" ? [approve(board), refuse(board)] : [refuse(board)]))]))] : []),
    make("ul", { class: "counts" }, ...["online", "stale", "offline"].map(name => make("li", {}, make("b", {}, fleet[name]),
      make("a", { href: place(search, chosen === name ? "" : name), "aria-current": chosen === name ? "true" : null, title: chosen === name ? "Show all boards" : "Show these alone" }, state(name))))),
    make("h2", {}, "Models that run"),
    ...fleet.versions.map(entry => make("div", {},
      make("div", { class: "row" }, make("span", {}, entry.version == null ? "not told" : "version " + entry.version), make("span", { class: "faint" }, entry.devices + " of " + all)),
      bar([{ share: 100 * entry.devices / Math.max(1, all), label: entry.devices + " of " + all }]))),
    make("h2", {}, chosen ? `Those that are ${chosen}` : "All of them"), box,
    table(["board", "state", "last seen", "activity", "model", "battery", "temperature", "waiting"], found.devices.map(device => {
      const beat = device.heartbeat ?? {}, metadata = beat.metadata ?? {};
      return [
        make("a", { href: "#/device/" + device.id }, device.device_identifier), state(device.status === "revoked" ? "revoked" : device.connectivity_status), ago(device.last_heartbeat), fall(metadata) || text(metadata.activity),
        device.active_model_version ? device.active_model_version + (["shadow", "probation"].includes(beat.model_status) ? ", " + beat.model_status : "") : "",
        metadata.battery_level == null ? "" : metadata.battery_level + " %", fixed(metadata.temperature_celsius, 1, " °C"),
        waiting(metadata),
      ];
    })),
    found.total > found.devices.length ? make("p", { class: "faint" }, `${found.devices.length} of ${found.total}: search for the others.`) : null,
  ];
}

// Activities over time: a lane for each, a piece for as long as it lasted.
function timeline(events, until) {
  const changes = events.filter(event => event.attributes?.activity).sort((a, b) => a.at - b.at);
  if (!changes.length) return make("p", { class: "faint" }, "This board has told no decisions yet.");
  const lanes = [...new Set(changes.map(event => event.attributes.activity))].sort(), begin = changes[0].at, length = Math.max(1, until - begin);
  // A unit is a pixel, so that words are as large on a telephone.
  const width = Math.max(300, main.clientWidth), left = Math.min(150, width * 0.38), height = 24, x = time => left + (time - begin) / length * (width - left);
  const picture = make("svg:svg", { class: "timeline", viewBox: `0 0 ${width} ${lanes.length * height + 22}`, role: "img", "aria-label": "Decisions over time" });
  lanes.forEach((lane, index) => {
    picture.append(make("svg:line", { class: "lane", x1: left, x2: width, y1: (index + 1) * height, y2: (index + 1) * height }));
    picture.append(make("svg:text", { x: 0, y: index * height + 15 }, lane));
  });
  changes.forEach((event, index) => {
    const end = changes[index + 1]?.at ?? until;
    picture.append(make("svg:rect", { class: "span", x: x(event.at), y: lanes.indexOf(event.attributes.activity) * height + 4, width: Math.max(1, x(end) - x(event.at)), height: height - 8 },
      make("svg:title", {}, `${event.attributes.activity} from ${new Date(event.at * 1000).toLocaleString()}`)));
  });
  const clock = time => new Date(time * 1000).toLocaleTimeString();
  picture.append(make("svg:text", { x: left, y: lanes.length * height + 16 }, clock(begin)), make("svg:text", { x: width, y: lanes.length * height + 16, "text-anchor": "end" }, clock(until)));
  return picture;
}

async function board(id) {
  const [device, told, fallen, groups] = await Promise.all([api("/devices/" + id), api(`/devices/${id}/events?name=activity&limit=300`), api(`/devices/${id}/events?name=fall&limit=50`), api(`/devices/${id}/groups`)]);
  const beat = device.heartbeat ?? {}, metadata = beat.metadata ?? {}, info = device.info ?? {};
  const facts = [
    ["State", state(device.status === "revoked" ? "revoked" : device.connectivity_status)], ["Last seen", ago(device.last_heartbeat)], ["Registered", new Date(device.registered_at).toLocaleString()],
    ["Model", text(device.active_model_version)], ["Activity", text(metadata.activity)], ["Fall", fall(metadata, true)], ["Steps today", text(metadata.steps)], ["Last decision", beat.last_inference_at ? ago(beat.last_inference_at) : ""], ["Rate", fixed(metadata.sampling_rate_hz, 2, " Hz")],
    ["Battery", metadata.battery_level == null ? "" : metadata.battery_level + " %"], ["Temperature", fixed(metadata.temperature_celsius, 1, " °C")],
    ["Network", text(beat.network_type)], ["Waiting uploads", waiting(metadata)], ["Last error", beat.last_error_code ? beat.last_error_code + (metadata.last_error_at ? " (" + ago(metadata.last_error_at) + ")" : "") : ""],
    ["Machine", [info.manufacturer, info.model, info.cpu_architecture].filter(Boolean).join(", ")], ["System", [info.capabilities?.distribution, beat.os_version ?? info.os_version].filter(Boolean).join(", ")], ["Groups", groups.groups.map(group => group.name).join(", ")], ["ID", device.id],
  ].filter(([, value]) => value !== "");
  const until = device.last_heartbeat ? Date.parse(device.last_heartbeat) / 1000 : Date.now() / 1000;
  return [
    make("h1", {}, device.device_identifier),
    make("dl", {}, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])),
    make("h2", {}, "Decisions"), timeline(told.events, until),
    ...(fallen.events.length ? [make("h2", {}, "Falls"), table(["when", "state"], fallen.events.map(event => [new Date(event.at * 1000).toLocaleString(), state(text(event.attributes?.state))]))] : []),
    make("h2", {}, "Models"),
    device.models.length ? table(["version", "became", "when", "why"], device.models.map(entry => [entry.model_id + " " + entry.version, state(entry.state), ago(entry.updated_at), { wide: text(entry.reason) }])) : make("p", { class: "faint" }, "It has told nothing of models."),
  ];
}

async function rollouts() {
  const found = (await api("/rollouts")).rollouts;
  const turn = (rollout, verb) => make("button", { type: "button", click: () => act(() => api(`/models/${rollout.model_id}/rollouts/${rollout.id}/${verb}`, "POST", {})) }, verb[0].toUpperCase() + verb.slice(1));
  return [
    make("h1", {}, "Roll-outs"),
    found.length ? null : make("p", { class: "faint" }, "There are none. gaitway-hub rollouts start MODEL VERSION"),
    ...found.map(rollout => {
      const { reached, committed, trying, deferred, failed, away } = rollout.progress, share = count => 100 * count / Math.max(1, reached);
      const verbs = { pending: ["start"], active: ["pause", "advance"], paused: ["resume", "stop"], stopped: ["resume"], completed: ["stop"] }[rollout.status];
      return make("section", { class: "card" },
        make("h3", {}, `${rollout.model_id} ${rollout.version}, roll-out ${rollout.id}`),
        bar([{ share: share(committed), kind: "good", label: committed + " run it" }, { share: share(trying), kind: "warn", label: trying + " try it" }, { share: share(deferred), kind: "warn", label: deferred + " could not fetch it yet" }, { share: share(failed), kind: "bad", label: failed + " refused it" }]),
        make("div", { class: "row" }, state(rollout.status), make("span", {}, `${committed} run it, ${trying} try it, ${failed} refused it${deferred ? `, ${deferred} could not fetch it yet` : ""}, of ${reached} reached${away ? `; ${away} are away` : ""}`), make("span", { class: "faint" }, `${Math.round(rollout.rollout_percentage)} % of ${rollout.group_id ? "a group" : "all boards"}`)),
        rollout.reason ? make("p", { class: "faint" }, rollout.reason) : null,
        make("div", { class: "row" }, make("span", {}, ...verbs.flatMap(verb => [turn(rollout, verb), " "]))));
    }),
  ];
}

// Shares of wrong decisions by iteration.
function curve(errors) {
  const width = Math.max(300, main.clientWidth), height = 180, left = 46, bottom = 22, first = errors[0].iteration, length = Math.max(1, errors.at(-1).iteration - first);
  const top = Math.max(0.1, ...errors.map(entry => entry.error)), x = entry => left + (entry.iteration - first) / length * (width - left - 8), y = share => 8 + (1 - share / top) * (height - bottom - 8);
  const picture = make("svg:svg", { class: "timeline", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Error by iteration" });
  for (const share of [0, top / 2, top]) {
    picture.append(make("svg:line", { class: "lane", x1: left, x2: width, y1: y(share), y2: y(share) }), make("svg:text", { x: left - 6, y: y(share) + 4, "text-anchor": "end" }, (100 * share).toFixed(share < 0.1 ? 1 : 0) + " %"));
  }
  picture.append(make("svg:polyline", { class: "curve", points: errors.map(entry => `${x(entry).toFixed(1)},${y(entry.error).toFixed(1)}`).join(" ") }));
  picture.append(make("svg:text", { x: left, y: height - 4 }, "iteration " + first), make("svg:text", { x: width, y: height - 4, "text-anchor": "end" }, String(errors.at(-1).iteration)));
  return picture;
}

async function crowd() {
  const found = await api("/crowd");
  if (!found.running) return [make("h1", {}, "Crowd"), make("p", { class: "faint" }, "Nobody learns together here. gaitway-hub crowd start")];
  const told = found.parameters, facts = [
    ["Learns", `${told.lossFunction} of ${found.length} weights, ${told.descentAlg}`], ["Classes", found.labels.join(", ")], ["Gradients that counted", found.taken], ["Samples of each", told.clientBatchSize],
    ["Noise", told.noiseDistribution === "NoNoise" ? "none" : `${told.noiseDistribution}, scale ${told.noiseScale}`],
    ["Epsilon of each epoch", found.epsilon_per_epoch == null ? "cannot be stated: " + found.no_promise : found.epsilon_per_epoch.toFixed(3) + ", where devices normalise their samples"],
  ].filter(([, value]) => value !== "");
  return [
    make("h1", {}, "Crowd"),
    make("ul", { class: "counts" }, make("li", {}, make("b", {}, found.participants), "devices"), make("li", {}, make("b", {}, found.iteration), "iteration"),
      found.errors.length ? make("li", {}, make("b", {}, (100 * found.errors.at(-1).error).toFixed(1)), "% wrong") : null),
    make("h2", {}, "Error by iteration"),
    found.errors.length ? curve(found.errors) : make("p", { class: "faint" }, "There are no samples to measure on: gaitway-hub crowd start --test DIR"),
    make("h2", {}, "What is learnt"), make("dl", {}, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])),
  ];
}

function login() {
  const box = make("input", { type: "password", autocomplete: "current-password", "aria-label": "Token", placeholder: "gwp_…" });
  const form = make("form", {}, make("h1", {}, "Log in"), make("p", {}, "With a token that ", make("code", {}, "gaitway-hub tokens create"), " made."), make("div", { class: "row" }, box, make("button", { type: "submit" }, "Log in")));
  form.addEventListener("submit", event => { event.preventDefault(); token.set(box.value.trim()); show(); });
  return [form];
}

async function act(body) {
  try { await body(); } catch (error) { complain(error); return; }
  show();
}

function complain(error) {
  if (error instanceof Refused && error.status === 401) { token.drop(); show(); }
  problem.textContent = error.status === 401 ? "This token is not valid here." : error.message;
  problem.hidden = false;
}

let shown = 0;
async function show() {
  const turn = ++shown, [, place, id] = location.hash.split("?")[0].split("/");
  leave.hidden = !token.get();
  if (!token.get()) { main.replaceChildren(...login()); return; }
  try {
    const parts = place === "device" ? await board(id) : place === "rollouts" ? await rollouts() : place === "crowd" ? await crowd() : await boards();
    // Somebody may have gone elsewhere meanwhile, or be typing.
    if (turn !== shown || document.activeElement?.type === "search") return;
    main.replaceChildren(...parts.filter(part => part != null));
    problem.hidden = true;
  } catch (error) { if (turn === shown) complain(error); }
}

leave.addEventListener("click", () => { token.drop(); problem.hidden = true; show(); });
addEventListener("hashchange", () => { document.activeElement?.blur(); show(); });
setInterval(() => { if (token.get() && !document.hidden) show(); }, 5000);
show();
