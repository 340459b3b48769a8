"use strict";
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
