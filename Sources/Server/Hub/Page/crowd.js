"use strict";
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
    found.errors.length ? curve(found.errors.map(entry => ({ x: entry.iteration, y: entry.error })), { label: "Error by iteration", shown: share => (100 * share).toFixed(share < 0.1 ? 1 : 0) + " %", ends: x => (x === found.errors[0].iteration ? "iteration " : "") + x, least: 0.1 }) : make("p", { class: "faint" }, "There are no samples to measure on: gaitway-hub crowd start --test DIR"),
    make("h2", {}, "What is learnt"), make("dl", {}, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])),
  ];
}
