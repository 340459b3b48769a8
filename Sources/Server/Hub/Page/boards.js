"use strict";
// The boards: those that somebody should look at, then all of them.

const each = 50, orders = { name: "board", seen: "last seen", activity: "activity", model: "model", battery: "battery", temperature: "temperature", waiting: "waiting" };

// What is asked for in the address, and the address for something else.
const usual = { search: "", connectivity: "", group: "", tag: "", sort: "name", page: "1" };
const asked = () => ({ ...usual, ...Object.fromEntries(new URLSearchParams(location.hash.split("?")[1] ?? "")) });
function place(changes) {
  return "#/?" + new URLSearchParams(Object.entries({ ...asked(), page: "1", ...changes }).filter(([name, value]) => value !== usual[name]));
}

const link = device => make("a", { href: "#/device/" + device.id, "data-key": device.id, title: device.name === device.device_identifier ? null : "calls itself " + device.device_identifier }, device.name);
const tagged = device => make("span", { class: "list" }, ...device.tags.map(tag => make("a", { class: "tag", href: "#/?" + new URLSearchParams({ tag }) }, tag)));

const reasons = { fall: "fall", never_seen: "never seen", offline: "offline", refused: "refused a model", low_battery: "low battery", hot: "hot", spool: "uploads wait", error: "error" };

function why(reason, { heartbeat, last_heartbeat }) {
  const beat = heartbeat ?? {}, metadata = beat.metadata ?? {};
  const more = { fall: metadata.fall_at && ago(metadata.fall_at), offline: ago(last_heartbeat), low_battery: text(metadata.battery_level) + " %", hot: fixed(metadata.temperature_celsius, 1, " °C"), spool: waiting(metadata), error: text(beat.last_error_code) }[reason];
  return make("span", { class: "state " + reason }, reasons[reason] + (more ? " (" + more + ")" : ""));
}

// Of a hundred thousand boards this takes a second: what was found last is shown meanwhile, for a minute.
// One look at a time, with the token that asks.
let need = null, looking = null;
function look() {
  const by = token.get();
  if (looking?.by === by) return looking.found;
  const mine = looking = { by, found: api("/attention?limit=20") };
  const end = found => {
    if (looking === mine) looking = null;
    if (found && token.get() === by) need = { found, until: Date.now() + 10000 };
  };
  mine.found.then(end, () => end(null));
  return mine.found;
}

async function boardsInNeed() {
  if (need && Date.now() < need.until) return need.found;
  const asking = look();
  if (!need || Date.now() > need.until + 60000) return asking;
  asking.catch(() => {});
  return need.found;
}

function attention(found) {
  const counts = Object.entries(found.counts).filter(([, count]) => count).map(([reason, count]) => `${count} ${reasons[reason]}`).join(", ");
  return [
    make("h2", {}, "Needs attention"),
    ...(found.boards.length
      ? [make("p", { class: "faint" }, `${found.total} of them: ${counts}`), table(["board", "why", "last seen"], found.boards.map(({ device, reasons: told }) => [
          link(device),
          make("span", { class: "list" }, ...told.map(reason => why(reason, device))), ago(device.last_heartbeat)]))]
      : [make("p", { class: "faint" }, "Nothing: every board is there, and none tells of a fall, a refused model, heat or an error.")]),
  ];
}

// The token that was made last; it is told this once.
let made = null;

function registering(token) {
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname), plain = location.protocol === "http:" && !isHere ? " --allow-http" : "";
  const hub = location.origin + location.pathname.replace(/\/(index\.html)?$/, "");
  return `sudo gaitway register --hub ${hub} --token ${token}${plain}`;
}

function addBoards() {
  const count = make("input", { type: "number", min: 1, max: 1000000, value: 1, "aria-label": "How many boards" }), hours = make("input", { type: "number", min: 1, max: 8760, value: 24, "aria-label": "Hours" });
  const submit = event => {
    event.preventDefault();
    const form = event.target.elements;
    act(async () => {
      const token = await api("/bootstrap-tokens", "POST", { name: "the page", boards: Number(form[0].value), hours: Number(form[1].value) }), command = registering(token.token);
      made = { ...token, command };
      // The token is shown in any case.
      made.rows = (await api("/qr-codes", "POST", { text: command }).catch(() => ({}))).rows;
    });
  };
  return make("details", { class: "card" }, make("summary", {}, "Add boards"),
    make("form", { class: "row", submit }, make("label", {}, "boards ", count), make("label", {}, "hours until the token ends ", hours), make("button", { type: "submit" }, "Make a token")),
    ...(made ? [make("p", {}, `On ${made.boards === 1 ? "the board" : `each of ${made.boards} boards`}, until ${new Date(made.expires_at).toLocaleString()}:`), make("pre", { class: "command", tabindex: 0 }, made.command), made.rows && qrCode(made.rows, "The command as a QR code"),
      // Browsers have a clipboard for pages with TLS, and this machine's own.
      make("p", {}, navigator.clipboard ? make("button", { type: "button", click: () => act(() => navigator.clipboard.writeText(made.command)) }, "Copy") : null, " The token is shown this once.")] : []));
}

function askingBoards(asking) {
  if (!asking.boards.length) return [];
  const approve = board => make("button", { type: "button", "data-key": "approve " + board.id, click: () => act(() => api(`/waiting-boards/${board.id}/approve`, "POST", {})) }, "Approve");
  const refuse = board => make("button", { type: "button", "data-key": "refuse " + board.id, click: () => act(() => api(`/waiting-boards/${board.id}`, "DELETE")) }, "Refuse");
  return [make("h2", {}, "Boards that ask to register"), table(["board", "key", "asked", "state", "decision"], asking.boards.map(board => [
    board.device_identifier, board.key ?? "none", ago(board.asked_at), state(board.status),
    make("span", { class: "row" }, ...(board.status === "waiting" ? [approve(board), refuse(board)] : [refuse(board)]))]))];
}

function models(fleet) {
  const all = fleet.versions.reduce((sum, entry) => sum + entry.devices, 0);
  return [make("h2", {}, "Models that run"), ...fleet.versions.map(entry => make("div", {},
    make("div", { class: "row" }, make("span", {}, entry.version == null ? "not told" : "version " + entry.version), make("span", { class: "faint" }, entry.devices + " of " + all)),
    bar([{ share: 100 * entry.devices / Math.max(1, all), label: entry.devices + " of " + all }])))];
}

const filtered = now => `&search=${encodeURIComponent(now.search)}&sort=${encodeURIComponent(now.sort)}` + (now.connectivity && "&connectivity=" + encodeURIComponent(now.connectivity)) + (now.group && "&group=" + encodeURIComponent(now.group)) + (now.tag && "&tag=" + encodeURIComponent(now.tag));

const model = ({ active_model_version: version, heartbeat }) => version ? version + (["shadow", "probation"].includes(heartbeat?.model_status) ? ", " + heartbeat.model_status : "") : "";

// Waits where the hub says that there were too many requests.
async function patiently(path, by) {
  for (;;) {
    if (token.get() !== by) throw new Error("Somebody else has logged in: the table is not saved.");
    try { return await api(path); } catch (error) { if (error.status !== 429) throw error; }
    await new Promise(done => setTimeout(done, 5000));
  }
}

// All boards of this search, page by page. What a spreadsheet would take for a formula is a text there.
async function saveTable() {
  // By name, which does not change while it goes on.
  const by = token.get(), now = { ...asked(), sort: "name" }, rows = [["board", "name", "tags", "state", "last seen", "activity", "model", "battery %", "temperature C", "waiting files", "id"]];
  for (let offset = 0; ; offset += 500) {
    const found = await patiently(`/devices?limit=500&offset=${offset}` + filtered(now), by);
    for (const device of found.devices) {
      const metadata = device.heartbeat?.metadata ?? {};
      rows.push([device.device_identifier, device.name, device.tags.join(" "), device.status === "revoked" ? "revoked" : device.connectivity_status, device.last_heartbeat, metadata.activity, device.active_model_version, metadata.battery_level, metadata.temperature_celsius, metadata.spool_files, device.id]);
    }
    if (found.devices.length < 500) break;
  }
  const cell = value => { const word = text(value); return '"' + (typeof value !== "number" && /^[=+\-@\t\r\n]/.test(word) ? "'" + word : word).replaceAll('"', '""') + '"'; };
  const link = make("a", { href: URL.createObjectURL(new Blob([rows.map(row => row.map(cell).join(",")).join("\r\n") + "\r\n"], { type: "text/csv" })), download: "boards.csv" });
  link.click();
  URL.revokeObjectURL(link.href);
}

let typing = null;
const isList = () => ["", "#", "#/"].includes(location.hash.split("?")[0]);

async function boards() {
  const now = asked(), page = Math.min(1e6, Math.max(1, Math.trunc(Number(now.page)) || 1)), first = (page - 1) * each;
  const [fleet, found, asking, inNeed, grouped, { tags }] = await Promise.all([recent("/fleet", 10), api(`/devices?limit=${each}&offset=${first}` + filtered(now)), api("/waiting-boards"), boardsInNeed(), recent("/groups", 30), recent("/tags", 30)]);
  const search = make("input", { type: "search", placeholder: "Search by name or tag", "aria-label": "Search by name or tag", value: now.search, input: event => { clearTimeout(typing); typing = setTimeout(() => { if (isList()) location.replace(place({ search: event.target.value })); }, 300); } });
  const choice = (name, title, values, all) => values.length || now[name] ? make("select", { "aria-label": title, change: event => { location.hash = place({ [name]: event.target.value }); } },
    make("option", { value: "" }, all), ...values.map(([value, text]) => make("option", { value, selected: value === now[name] ? "" : null }, text))) : null;
  const group = choice("group", "Group", grouped.groups.map(group => [group.id, group.name]), "all groups"), tag = choice("tag", "Tag", tags.map(tag => [tag, tag]), "all tags");
  const heads = ["name", null, "seen", "activity", "model", "battery", "temperature", "waiting"].map(order => order
    ? make("th", { scope: "col", "aria-sort": now.sort === order ? (["seen", "temperature", "waiting"].includes(order) ? "descending" : "ascending") : null }, make("a", { href: place({ sort: order }) }, orders[order])) : make("th", { scope: "col" }, "state"));
  const step = (name, to) => make("a", { href: place({ page: String(to) }) }, name);
  return [
    make("h1", {}, "Boards"),
    make("ul", { class: "counts" }, ...["online", "stale", "offline"].map(name => make("li", {}, make("b", {}, fleet[name]),
      make("a", { href: place({ connectivity: now.connectivity === name ? "" : name }), "aria-current": now.connectivity === name ? "true" : null, title: now.connectivity === name ? "Show all boards" : "Show these alone" }, state(name))))),
    // A part of the page each, whatever is in it: those behind it stay where they are.
    make("section", {}, ...askingBoards(asking)), make("section", {}, ...attention(inNeed)), make("section", {}, ...models(fleet)),
    make("h2", {}, now.connectivity ? `Those that are ${now.connectivity}` : "All of them"),
    make("div", { class: "row tools" }, search, group, tag, make("button", { type: "button", click: () => act(saveTable) }, "Save as CSV")),
    table(heads, found.devices.map(device => {
      const metadata = device.heartbeat?.metadata ?? {};
      return [
        make("span", { class: "list" }, link(device), device.tags.length ? tagged(device) : null), state(device.status === "revoked" ? "revoked" : device.connectivity_status), ago(device.last_heartbeat), fall(metadata) || text(metadata.activity),
        model(device), metadata.battery_level == null ? "" : text(metadata.battery_level) + " %", fixed(metadata.temperature_celsius, 1, " °C"), waiting(metadata),
      ];
    }), "cards boards", ["board", "state", "last seen", "activity", "model", "battery", "temperature", "waiting"]),
    found.total ? null : make("p", { class: "faint" }, "No board is like that. ", make("a", { href: "#/" }, "Show all boards")),
    make("p", { class: "row" }, ...found.total <= each ? [] : [ make("span", { class: "faint" }, found.devices.length ? `${first + 1} to ${first + found.devices.length} of ${found.total}` : `There are ${found.total}`),
      make("span", { class: "list" }, ...(page > 1 ? [step("Before", page - 1)] : []), ...(first + found.devices.length < found.total ? [step("Next", page + 1)] : []))]),
    addBoards(),
  ];
}

async function changes() {
  const found = await api("/audit?limit=200");
  return [make("h1", {}, "Who changed what"), found.entries.length
    ? table(["when", "who", "what", "came of it"], found.entries.map(entry => [new Date(entry.at).toLocaleString(), entry.who, { wide: entry.action }, text(entry.status)]))
    : make("p", { class: "faint" }, "Nobody changed anything on this page or through the API yet.")];
}
