// A day: what the wearer did and when, steps, walks, falls; as a picture, and as tables for who does not see it.
import { $, ask, element, table } from "./page.js";

const colours = {
  WALKING: "#2a6fb0", WALKING_UPSTAIRS: "#00798c", WALKING_DOWNSTAIRS: "#4aa3b5", RUNNING: "#c2410c", CYCLING: "#9a6700", SITTING: "#7b5ea7",
  STANDING: "#2e8b57", LAYING: "#8d6e63",
};
const others = ["#b5446e", "#5b7f00", "#4f6d7a", "#a0522d"];
let back = 0, request = 0, latest = null;

const colour = name => name === "unknown" ? "#9e9e9e"
  : colours[name.split("|")[0]] || others[[...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % others.length];
const time = (day, at) => {
  const minutes = Math.floor((at - day.from) / 60);
  return String(Math.floor(minutes / 60)).padStart(2, "0") + ":" + String(minutes % 60).padStart(2, "0");
};
const length = seconds => seconds < 60 ? Math.round(seconds) + " s" : seconds < 3600 ? Math.floor(seconds / 60) + " min"
  : Math.floor(seconds / 3600) + " h " + Math.floor(seconds / 60 % 60) + " min";

function picture(day) {
  // As wide as it is shown, so that letters keep their size.
  const width = Math.max(280, $("day").clientWidth), height = 96, x = at => (at - day.from) / (day.to - day.from) * width, most = Math.max(1, ...day.steps_by_hour);
  const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Activities, and steps of each hour; the tables below have them in numbers" });
  svg.append(element("rect", { x: 0, y: 40, width, height: 34, fill: "#8882" }));
  for (const part of day.timeline) {
    svg.append(element("rect", { x: x(part.from), y: 40, width: Math.max(0.6, x(part.to) - x(part.from)), height: 34, fill: colour(part.activity) },
      element("title", {}, `${part.activity}, ${time(day, part.from)} to ${time(day, part.to)}`)));
  }
  day.steps_by_hour.forEach((steps, hour) => {
    const tall = 32 * steps / most, wide = width / day.steps_by_hour.length;
    svg.append(element("rect", { x: hour * wide + 2, y: 36 - tall, width: wide - 4, height: tall, fill: "#8888" }, element("title", {}, `${hour}:00, ${steps} steps`)));
  });
  for (const fall of day.falls) svg.append(element("rect", { x: x(fall.at) - 1.5, y: 34, width: 3, height: 46, fill: "#e5484d" }, element("title", {}, "fall, " + time(day, fall.at))));
  for (let hour = 0; hour <= 24; hour += width < 500 ? 6 : 3) {
    svg.append(element("text", { x: width * hour / 24, y: 90, "text-anchor": hour === 0 ? "start" : hour === 24 ? "end" : "middle" }, String(hour)));
  }
  return svg;
}

function swatch(name) {
  const mark = element("span", { class: "swatch" });
  mark.style.background = colour(name);
  const part = element("span", {}, mark, name);
  return part;
}

function build(day) {
  const activities = Object.entries(day.seconds).sort((a, b) => b[1] - a[1]);
  if (!activities.length && !day.steps && !day.falls.length) return [element("p", { class: "faint" }, "Nothing is kept of this day.")];
  const walks = day.bouts.filter(bout => bout.to - bout.from >= 60);
  const tables = [table(`${day.steps} steps`, ["activity", "#time"], activities.map(([name, seconds]) => [swatch(name), length(seconds)]))];
  if (day.falls.length) {
    tables.push(table("Falls", ["at", "what came of it"], day.falls.map(fall => [time(day, fall.at), fall.alarm && fall.state !== "alarm" ? "alarm, " + fall.state : fall.state])));
  }
  if (walks.length) {
    tables.push(table("Walks of a minute or more", ["from", "#time", "#steps", "#a minute"],
      walks.map(bout => [time(day, bout.from), length(bout.to - bout.from), String(bout.steps), String(bout.cadence)])));
  }
  return [picture(day), element("div", { class: "tables" }, ...tables)];
}

/** Seconds since 1970 at which an activity began that goes on, as far as the day knows; else null. */
export const beganToday = activity => latest?.activity === activity ? latest.from : null;

/** The day that is chosen, anew. */
export async function showDay() {
  const mine = ++request, date = back === 0 ? "today" : back === 1 ? "yesterday" : dateBefore(back);
  $("day-after").setAttribute("aria-disabled", String(back === 0));
  try {
    const day = await ask("day/" + date);
    if (mine !== request) return;
    if (back === 0) latest = day.timeline.at(-1);
    $("day-name").textContent = back === 0 ? "Today" : day.date;
    $("day").replaceChildren(...build(day));
  } catch (error) {
    if (mine === request) $("day").replaceChildren(element("p", { class: "faint" }, error.message));
  }
}

function dateBefore(days) {
  const day = new Date();
  day.setDate(day.getDate() - days);
  return [day.getFullYear(), String(day.getMonth() + 1).padStart(2, "0"), String(day.getDate()).padStart(2, "0")].join("-");
}

export function startDay() {
  const go = days => {
    back = Math.max(0, back + days);
    showDay();
  };
  $("day-before").addEventListener("click", () => go(1));
  $("day-after").addEventListener("click", () => go(-1));
  setInterval(() => { if (!document.hidden && !$("main").hidden) showDay(); }, 60000);
}
