"use strict";
async function rollouts() {
  const found = (await api("/rollouts")).rollouts;
  const turn = (rollout, verb) => make("button", { type: "button", "data-key": verb + rollout.id, click: () => act(() => api(`/models/${rollout.model_id}/rollouts/${rollout.id}/${verb}`, "POST", {})) }, verb[0].toUpperCase() + verb.slice(1));
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
