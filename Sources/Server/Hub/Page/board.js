"use strict";
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

// What may be done with a board, and its groups.
function controls(device, own, all) {
  const name = device.device_identifier, path = "/devices/" + device.id;
  const ask = (question, body) => make("button", { type: "button", click: () => { if (confirm(question)) act(body); } }, question.split(" ")[0]);
  const member = group => own.some(one => one.id === group.id);
  const boxes = all.map(group => make("label", { "data-key": group.id }, make("input", { type: "checkbox", checked: member(group) ? "" : null, change: event => act(() => api(`/groups/${group.id}${path}`, event.target.checked ? "PUT" : "DELETE")) }), " " + group.name));
  return [
    make("h2", {}, "Groups"), boxes.length ? make("div", { class: "list" }, ...boxes) : make("p", { class: "faint" }, "There are none. gaitway-hub groups create NAME"),
    make("h2", {}, "This board"),
    make("p", { class: "list" },
      device.status === "revoked" ? make("span", { class: "faint" }, "Its tokens are worth nothing.") : ask(`Revoke ${name}: its tokens are worth nothing from then on?`, () => api(path + "/revoke", "POST", {})),
      ask(`Delete ${name} with all that is kept of it?`, async () => { await api(path, "DELETE"); location.hash = "#/"; })),
  ];
}

async function board(id) {
  const [device, told, fallen, groups, all] = await Promise.all([api("/devices/" + id), api(`/devices/${id}/events?name=activity&limit=300`), api(`/devices/${id}/events?name=fall&limit=50`), api(`/devices/${id}/groups`), api("/groups")]);
  const beat = device.heartbeat ?? {}, metadata = beat.metadata ?? {}, info = device.info ?? {};
  const facts = [
    ["State", state(device.status === "revoked" ? "revoked" : device.connectivity_status)], ["Last seen", ago(device.last_heartbeat)], ["Registered", new Date(device.registered_at).toLocaleString()],
    ["Model", text(device.active_model_version)], ["Activity", text(metadata.activity)], ["Fall", fall(metadata, true)], ["Steps today", text(metadata.steps)], ["Last decision", beat.last_inference_at ? ago(beat.last_inference_at) : ""], ["Rate", fixed(metadata.sampling_rate_hz, 2, " Hz")],
    ["Battery", metadata.battery_level == null ? "" : text(metadata.battery_level) + " %"], ["Temperature", fixed(metadata.temperature_celsius, 1, " °C")],
    ["Network", text(beat.network_type)], ["Waiting uploads", waiting(metadata)], ["Last error", beat.last_error_code ? text(beat.last_error_code) + (metadata.last_error_at ? " (" + ago(metadata.last_error_at) + ")" : "") : ""],
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
    ...controls(device, groups.groups, all.groups),
  ];
}
