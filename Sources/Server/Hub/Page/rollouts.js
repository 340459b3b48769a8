"use strict";
// Those whose boards are shown.
const unfolded = new Map();

async function takers(rollout) {
  if (!unfolded.get(rollout.id)) return null;
  const found = await recent(`/models/${rollout.model_id}/rollouts/${rollout.id}/affected-devices?limit=200`, 10);
  return make("div", {}, found.total > found.devices.length ? make("p", { class: "faint" }, `The last ${found.devices.length} of ${found.total}`) : null,
    found.devices.length ? table(["board", "became", "when", "why"], found.devices.map(one => [link({ id: one.device_id, name: one.name, device_identifier: one.device_identifier }), state(one.state), ago(one.updated_at), { wide: text(one.reason) }])) : make("p", { class: "faint" }, "No board has told anything of it yet."));
}

async function rollouts() {
  const found = (await api("/rollouts")).rollouts;
  const turn = (rollout, verb) => make("button", { type: "button", "data-key": verb + rollout.id, click: () => act(() => api(`/models/${rollout.model_id}/rollouts/${rollout.id}/${verb}`, "POST", {})) }, verb[0].toUpperCase() + verb.slice(1));
  const named = new Map((await recent("/models?limit=500", 30)).models.map(model => [model.id, model.name])), boards = await Promise.all(found.map(takers));
  return [
    make("h1", {}, "Roll-outs"),
    found.length ? null : make("p", { class: "faint" }, "There are none. Start one under Models, or with gaitway-hub rollouts start MODEL VERSION"),
    ...found.map((rollout, index) => {
      const { reached, committed, trying, deferred, failed, away } = rollout.progress ?? { reached: 0, committed: 0, trying: 0, deferred: 0, failed: 0, away: 0 }, share = count => 100 * count / Math.max(1, reached);
      const verbs = { pending: ["start"], active: ["pause", "advance"], paused: ["resume", "stop"], stopped: ["resume"], completed: ["stop"] }[rollout.status];
      return make("section", { class: "card" },
        make("h2", {}, `${named.get(rollout.model_id) ?? rollout.model_id} ${rollout.version}, roll-out ${rollout.id}`),
        bar([{ share: share(committed), kind: "good", label: committed + " run it" }, { share: share(trying), kind: "warn", label: trying + " try it" }, { share: share(deferred), kind: "warn", label: deferred + " could not fetch it yet" }, { share: share(failed), kind: "bad", label: failed + " refused it" }]),
        make("div", { class: "row" }, state(rollout.status), make("span", {}, !rollout.progress ? "its boards are being counted" : `${committed} run it, ${trying} try it, ${failed} refused it${deferred ? `, ${deferred} could not fetch it yet` : ""}, of ${reached} reached${away ? `; ${away} are away` : ""}`), make("span", { class: "faint" }, `${Math.round(rollout.rollout_percentage)} % of ${rollout.group_id ? "a group" : "all boards"}`)),
        rollout.reason ? make("p", { class: "faint" }, rollout.reason) : null,
        make("div", { class: "row" }, make("span", {}, ...verbs.flatMap(verb => [turn(rollout, verb), " "]))),
        make("details", { "data-key": "boards" + rollout.id, open: unfolded.get(rollout.id) ? "" : null, toggle: event => { if (!!unfolded.get(rollout.id) !== event.target.open) { unfolded.set(rollout.id, event.target.open); show(); } } }, make("summary", {}, "Boards"), boards[index]));
    }),
  ];
}
