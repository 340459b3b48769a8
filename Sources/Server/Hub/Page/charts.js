"use strict";
const decisions = events => events.filter(event => event.attributes?.activity).sort((a, b) => a.at - b.at);

// Activities over time: a lane for each, a piece for as long as it lasted.
function timeline(events, until) {
  const changes = decisions(events);
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

const minutes = seconds => seconds < 60 ? Math.round(seconds) + " s" : seconds < 6000 ? Math.round(seconds / 60) + " min" : (seconds / 3600).toFixed(1) + " h";

// How long each activity lasted, the longest first.
function durations(events, until) {
  const changes = decisions(events), sums = new Map();
  changes.forEach((event, index) => sums.set(event.attributes.activity, (sums.get(event.attributes.activity) ?? 0) + Math.max(0, (changes[index + 1]?.at ?? until) - event.at)));
  return make("p", { class: "list" }, ...[...sums].sort((a, b) => b[1] - a[1]).map(([activity, seconds]) => make("span", {}, text(activity) + " ", make("b", {}, minutes(seconds)))));
}

// Values over something that grows, { x, y }; a line ends where the next point is more than `gap` away. `shown` and `ends` make texts of
// a value and of the first and last x.
function curve(points, { label, shown, ends, least = 0, gap = Infinity }) {
  const width = Math.max(300, main.clientWidth), height = 180, left = 60, bottom = 22, first = points[0].x, length = Math.max(1e-9, points.at(-1).x - first);
  const low = Math.min(0, ...points.map(point => point.y)), top = Math.max(least, ...points.map(point => point.y)) || 1, x = point => left + (point.x - first) / length * (width - left - 8), y = value => 8 + (1 - (value - low) / (top - low)) * (height - bottom - 8);
  const picture = make("svg:svg", { class: "timeline", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  for (const value of [low, (low + top) / 2, top]) {
    picture.append(make("svg:line", { class: "lane", x1: left, x2: width, y1: y(value), y2: y(value) }), make("svg:text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, shown(value)));
  }
  const pieces = points.reduce((pieces, point, index) => { if (!index || point.x - points[index - 1].x > gap) pieces.push([]); pieces.at(-1).push(point); return pieces; }, []);
  for (const piece of pieces) {
    const places = piece.map(point => `${x(point).toFixed(1)},${y(point.y).toFixed(1)}`);
    // One alone is a short line.
    picture.append(make("svg:polyline", { class: "curve", points: (places.length > 1 ? places : [places[0], `${(x(piece[0]) + 3).toFixed(1)},${y(piece[0].y).toFixed(1)}`]).join(" ") }));
  }
  picture.append(make("svg:text", { x: left, y: height - 4 }, ends(first)), make("svg:text", { x: width, y: height - 4, "text-anchor": "end" }, ends(points.at(-1).x)));
  return picture;
}

// Rows of modules, 1 for a dark one; light on all sides, as readers need it.
function qrCode(rows, label) {
  const border = 4, size = rows.length + 2 * border;
  const dark = rows.flatMap((row, y) => [...row].map((module, x) => module === "1" ? `M${x + border} ${y + border}h1v1h-1z` : "")).join("");
  return make("svg:svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" }, make("svg:rect", { width: size, height: size }), make("svg:path", { d: dark }));
}
