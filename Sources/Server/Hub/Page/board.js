"use strict";
// What a board told over the last days: a picture for each, and the same as a table.
const histories = [["battery_level", "Battery", " %", 100], ["temperature_celsius", "Temperature", " °C", 0], ["sampling_rate_hz", "Rate", " Hz", 0]];
function history(points) {
  const told = points.map(point => ({ ...point, at: Date.parse(point.at) })), day = time => new Date(time).toLocaleString([], { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });
  const pictures = histories.flatMap(([name, title, unit, least]) => {
    const values = told.filter(point => Number.isFinite(point[name])).map(point => ({ x: point.at, y: point[name] }));
    return values.length < 2 ? [] : [make("h3", {}, title), curve(values, { label: title + " over time", shown: value => value.toFixed(Number.isInteger(value) ? 0 : 1) + unit, ends: day, least, gap: 7 * 3.6e6 })];
  });
  if (!pictures.length) return [];
  const rows = told.toReversed().map(point => [new Date(point.at).toLocaleString(), ...histories.map(([name, , unit]) => fixed(point[name], name === "battery_level" ? 0 : 1, unit))]);
  return [make("h2", {}, "The last days"), ...pictures, make("details", {}, make("summary", {}, "As a table"), table(["when", ...histories.map(([, title]) => title.toLowerCase())], rows))];
}

// What people call it, and its tags.
function names(device) {
  const submit = event => {
    event.preventDefault();
    // What somebody else changed meanwhile stays, where it was not changed here.
    const form = event.target, [name, tags] = form.elements, changes = {};
    if (name.value !== name.defaultValue) changes.name = name.value.trim() && name.value.trim() !== device.device_identifier ? name.value.trim() : null;
    if (tags.value !== tags.defaultValue) changes.tags = tags.value.split(/[\s,]+/).filter(Boolean);
    if (Object.keys(changes).length) act(async () => { await api("/devices/" + device.id, "PATCH", changes); form.reset(); });
  };
  return make("form", { class: "row tools", submit }, make("label", {}, "name ", make("input", { type: "text", maxlength: 100, value: device.name })),
    make("label", {}, "tags, with spaces between them ", make("input", { type: "text", value: device.tags.join(" ") })), make("button", { type: "submit" }, "Save"));
}

// What may be done with a board, and its groups.
function controls(device, own, all) {
  const name = device.name, path = "/devices/" + device.id;
  const ask = (question, body) => make("button", { type: "button", click: () => { if (confirm(question)) act(body); } }, question.split(" ")[0]);
  const member = group => own.some(one => one.id === group.id);
  const boxes = all.map(group => make("label", { "data-key": group.id }, make("input", { type: "checkbox", checked: member(group) ? "" : null, change: event => act(() => api(`/groups/${group.id}${path}`, event.target.checked ? "PUT" : "DELETE")) }), " " + group.name));
  return [
    make("h2", {}, "Name and tags"), names(device),
    make("h2", {}, "Groups"), boxes.length ? make("div", { class: "list" }, ...boxes) : make("p", { class: "faint" }, "There are none; gaitway-hub groups create NAME makes one."),
    make("h2", {}, "This board"),
    make("p", { class: "list" },
      device.status === "revoked" ? make("span", { class: "faint" }, "Its tokens are worth nothing.") : ask(`Revoke ${name}: its tokens are worth nothing from then on?`, () => api(path + "/revoke", "POST", {})),
      ask(`Delete ${name} with all that is kept of it?`, async () => { await api(path, "DELETE"); location.hash = "#/"; })),
  ];
}

async function board(id) {
  const [device, past, told, fallen, groups, all] = await Promise.all([api("/devices/" + id), recent(`/devices/${id}/history`, 60), api(`/devices/${id}/events?name=activity&limit=300`), api(`/devices/${id}/events?name=fall&limit=50`), api(`/devices/${id}/groups`), api("/groups")]);
  const beat = device.heartbeat ?? {}, metadata = beat.metadata ?? {}, info = device.info ?? {};
  const facts = [
    ["State", state(device.status === "revoked" ? "revoked" : device.connectivity_status)], ["Last seen", ago(device.last_heartbeat)], ["Registered", new Date(device.registered_at).toLocaleString()],
    ["Model", text(device.active_model_version)], ["Activity", text(metadata.activity)], ["Fall", fall(metadata, true)], ["Steps today", text(metadata.steps)], ["Last decision", beat.last_inference_at ? ago(beat.last_inference_at) : ""], ["Rate", fixed(metadata.sampling_rate_hz, 2, " Hz")],
    ["Battery", metadata.battery_level == null ? "" : text(metadata.battery_level) + " %"], ["Temperature", fixed(metadata.temperature_celsius, 1, " °C")],
    ["Network", text(beat.network_type)], ["Waiting uploads", waiting(metadata)], ["Last error", beat.last_error_code ? text(beat.last_error_code) + (metadata.last_error_at ? " (" + ago(metadata.last_error_at) + ")" : "") : ""],
    ["Machine", [info.manufacturer, info.model, info.cpu_architecture].filter(Boolean).join(", ")], ["System", [info.capabilities?.distribution, beat.os_version ?? info.os_version].filter(Boolean).join(", ")], ["Groups", groups.groups.map(group => group.name).join(", ")], ["Tags", device.tags.length ? tagged(device) : ""], ["Calls itself", device.name === device.device_identifier ? "" : device.device_identifier], ["ID", device.id],
  ].filter(([, value]) => value !== "");
  const until = device.last_heartbeat ? Date.parse(device.last_heartbeat) / 1000 : Date.now() / 1000;
  return [
    make("h1", {}, device.name),
    make("dl", {}, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])),
    make("h2", {}, "Decisions"), timeline(told.events, until), durations(told.events, until), make("section", {}, ...history(past.history)),
    ...(fallen.events.length ? [make("h2", {}, "Falls"), table(["when", "state"], fallen.events.map(event => [new Date(event.at * 1000).toLocaleString(), state(text(event.attributes?.state))]))] : []),
    make("h2", {}, "Models"),
    device.models.length ? table(["version", "became", "when", "why"], device.models.map(entry => [entry.model_id + " " + entry.version, state(entry.state), ago(entry.updated_at), { wide: text(entry.reason) }])) : make("p", { class: "faint" }, "It has told nothing of models."),
    ...controls(device, groups.groups, all.groups),
  ];
}
