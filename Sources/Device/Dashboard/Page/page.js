// The board's page: what comes from the local stream, as it comes, and what the board tells when it is asked.
import { Trace } from "./trace.js";
import { beganToday, showDay, startDay } from "./day.js";
import { showModel, startModel } from "./model.js";
import { showPrivacy, startPrivacy } from "./privacy.js";
import { startTraining } from "./training.js";

export const $ = id => document.getElementById(id);
const events = "decisions,falls,steps,model,health,samples";
const trace = new Trace($("trace"), $("trace-table"), $("trace-details"));
let token = localStorage.getItem("token"), labels = [], since = null, shown = null, reading = null, statusTimer = null;

/** An element with its attributes, and texts or elements in it. */
export function element(name, attributes = {}, ...parts) {
  const made = name === "svg" || element.svg.has(name) ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value); else made.setAttribute(key, value);
  }
  made.append(...parts);
  return made;
}
element.svg = new Set(["rect", "line", "text", "title", "g"]);

/** Of rows of cells; a column whose head begins with "#" has numbers. */
export function table(caption, heads, rows) {
  const numbers = i => heads[i].startsWith("#") ? { class: "number" } : {};
  return element("table", {}, element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...heads.map((head, i) => element("th", { scope: "col", ...numbers(i) }, head.replace("#", ""))))),
    element("tbody", {}, ...rows.map(row => element("tr", {}, ...row.map((cell, i) => element("td", numbers(i), cell))))));
}

/** The board's answer; what it refuses is thrown in its own words. */
export async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch("api/" + path, { ...options, headers: { Authorization: "Bearer " + token, ...options.headers } });
  } catch (error) {
    throw options.signal?.aborted ? error : new Error("gaitway-dashboard does not answer");
  }
  if (answer.ok) return options.raw ? answer : answer.json();
  if (answer.status === 401) leave();
  const said = await answer.json().catch(() => ({}));
  throw new Error([said.error || "HTTP " + answer.status, said.remedy].filter(Boolean).join(". "));
}

export const send = (path, method, body) => ask(path, { method, body: body && JSON.stringify(body) });

export function problem(text) {
  $("problem").hidden = !text;
  if (text) $("problem").textContent = text;
}

/** Pairs of a name and what it is; nothing is left out. */
export function facts(list, pairs) {
  list.replaceChildren(...pairs.filter(([, value]) => value != null).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

export const percent = share => Math.round(100 * share) + " %";
export const clock = seconds => new Date(seconds * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

function leave() {
  const hadToken = token != null;
  localStorage.removeItem("token");
  token = null;
  stop();
  $("main").hidden = true;
  $("enter").hidden = false;
  connection(hadToken ? "that is not the token" : "the token is missing", "bad");
}

function connection(text, kind = "") {
  // What was last is not now.
  document.querySelector(".now").classList.toggle("stale", kind !== "good");
  if ($("connection").textContent !== text) $("connection").textContent = text;
  $("connection").className = "state " + kind;
}

function showActivity(activity, confidence) {
  // What was there before the page was opened began when the day says.
  if (activity !== shown) [shown, since] = [activity, shown == null ? null : Date.now() / 1000];
  if ($("activity").textContent !== activity) $("activity").textContent = activity;
  $("confidence").value = confidence;
  $("confidence").textContent = percent(confidence);
}

let now = {};
function showFacts() {
  facts($("facts"), [
    ["since", since ?? beganToday(shown) ? clock(since ?? beganToday(shown)) : null], ["confidence", now.confidence == null ? null : percent(now.confidence)],
    ["steps today", now.steps == null ? null : String(now.steps)], ["cadence", now.cadence ? now.cadence + " a minute" : null],
    ["worn at", now.placement], ["which way is up", now.orientation],
  ]);
}

function showFall(state, at) {
  const isDown = ["impact", "fallen", "alarm"].includes(state);
  $("fall").hidden = !isDown;
  const texts = { impact: "A blow", fallen: "A fall, and its wearer stays down", alarm: "Alarm: a fall" };
  if (isDown) $("fall-text").textContent = `${texts[state]}, ${clock(at)}`;
  document.title = isDown ? `${texts[state]} - Gaitway` : "Gaitway";
}

function take(event) {
  switch (event.event) {
  case "hello": case "model":
    if (event.labels) showLabels(event.labels);
    break;
  case "decision":
    showActivity(event.still ? event.smoothed + ", at rest" : event.smoothed, event.confidence);
    Object.assign(now, { confidence: event.confidence, orientation: event.orientation, placement: event.placement, cadence: event.cadence });
    connection("live", "good");
    showFacts();
    break;
  case "steps":
    if (event.today != null) now.steps = event.today;
    showFacts();
    break;
  case "fall":
    showFall(event.state, event.at);
    showDay();
    break;
  case "samples": trace.take(event); break;
  case "health":
    if (!event.samples_come) {
      connection("the sensor is silent", "bad");
      trace.clear();
    }
    break;
  }
}

function showLabels(found) {
  if (found.join() === labels.join()) return;
  labels = found;
  const own = labels.filter(label => !label.includes("|")); // not what is one of two
  $("labels").replaceChildren(
    ...own.map(label => element("button", { type: "button", "data-label": label, "aria-pressed": "false", onclick: () => setLabel(label) }, label)),
    element("button", { type: "button", onclick: () => setLabel(null) }, "No label"));
  $("known-labels").replaceChildren(...own.map(label => element("option", { value: label })));
  showLabel();
}

async function showLabel() {
  try {
    const held = await ask("label");
    markLabel(held);
  } catch (error) { $("label-state").textContent = error.message; }
}

function markLabel(held) {
  for (const button of $("labels").children) button.setAttribute("aria-pressed", String(button.dataset.label === held.label && held.label != null));
  $("label-state").textContent = held.label ? `${held.label} until ${clock(held.until)}` : "No label holds.";
}

async function setLabel(label) {
  try {
    markLabel(await send("label", "PUT", { label, minutes: 10 }));
  } catch (error) { $("label-state").textContent = error.message; }
}

async function read(signal) {
  const answer = await ask("stream?events=" + events, { raw: true, signal });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (!line) continue;
      const event = JSON.parse(line);
      if (event.error) throw new Error(event.error);
      take(event);
    }
  }
}

// For as long as somebody looks: a hidden page has no stream.
async function follow() {
  if (reading || !token) return;
  const controller = reading = new AbortController();
  for (let wait = 1; !controller.signal.aborted; wait = Math.min(10, wait * 2)) {
    try {
      await read(controller.signal);
      wait = 1;
      connection("gaitway has ended", "bad");
    } catch (error) {
      if (controller.signal.aborted) return;
      connection(error.message, "bad");
    }
    trace.clear();
    await new Promise(done => setTimeout(done, wait * 1000));
  }
}

async function showStatus() {
  try {
    const status = await ask("status");
    Object.assign(now, { steps: status.steps ?? now.steps, orientation: status.orientation, placement: status.placement });
    if (status.activity && shown == null) showActivity(status.activity, status.confidence);
    showFall(status.fall, status.fall_at);
    showFacts();
    showModel(status);
    const uploads = status.uploads, fleet = status.fleet, crowd = status.crowd;
    facts($("health"), [
      ["sensor", status.source], ["rate", status.sampling_rate_hz ? status.sampling_rate_hz.toFixed(1) + " Hz" : status.activity ? null : "no samples"],
      ["up for", Math.floor(status.uptime_seconds / 3600) + " h " + Math.floor(status.uptime_seconds / 60) % 60 + " min"],
      ["temperature", status.temperature_celsius == null ? null : status.temperature_celsius.toFixed(1) + " °C"],
      ["battery", status.battery_level == null ? null : status.battery_level + " %"], ["network", status.network_type],
      ["uploads", uploads ? `${uploads.files} files wait, ${(uploads.bytes / 1e6).toFixed(1)} MB` : "nothing is uploaded"],
      ["hub", fleet ? fleet.hub + (fleet.last_heartbeat ? ", heartbeat at " + clock(fleet.last_heartbeat) : ", no heartbeat yet") : "not registered"],
      ["crowd", crowd ? `${crowd.doing}; ${crowd.counted} gradients given` + (crowd.epsilon == null ? "" : `, ε ${crowd.epsilon.toFixed(2)}`) : "off"],
      ["last error", status.last_error],
    ]);
    problem(null);
  } catch (error) { if (token) problem(error.message); }
}

function start() {
  if (!token) return leave();
  $("enter").hidden = true;
  $("main").hidden = false;
  follow();
  showStatus();
  showDay();
  showPrivacy();
  clearInterval(statusTimer);
  statusTimer = setInterval(showStatus, 10000);
}

function stop() {
  reading?.abort();
  reading = null;
  clearInterval(statusTimer);
  trace.stop();
}

function enter(given) {
  token = given;
  localStorage.setItem("token", token);
  start();
}

$("enter").addEventListener("submit", event => {
  event.preventDefault();
  enter($("token").value.trim());
  $("token").value = "";
});
$("cancel-alarm").addEventListener("click", async () => {
  try {
    await send("cancel-alarm", "POST");
    await showStatus();
    $("connection").textContent = "the alarm is cancelled";
    $("now-name").focus();
  } catch (error) { problem(error.message); }
});
document.addEventListener("visibilitychange", () => document.hidden ? stop() : token && start());
function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!given) return false;
  // Neither in the history nor in what is shown.
  history.replaceState(null, "", location.pathname);
  enter(given);
  return true;
}
addEventListener("hashchange", takeToken);
startDay();
startModel();
startPrivacy();
startTraining();
if (!takeToken()) start();
