// What left the board and where it went, as `gaitway privacy` says: counts, no data.
import { $, ask, element, table } from "./page.js";

const ways = { uploads: "recorded windows", heartbeats: "heartbeats with an activity", events: "changes and falls", broker: "messages with an activity or a fall" };
const moment = seconds => new Date(seconds * 1000).toLocaleString([], { dateStyle: "short", timeStyle: "short" });

function build(said) {
  const parts = [], gave = said.crowd;
  if (said.left.some(one => one.items)) {
    parts.push(table("Since " + moment(said.since), ["what", "#how many", "to", "last"], said.left.filter(one => one.items).map(one =>
      [ways[one.way] || one.way, String(one.items), one.to, moment(one.last) + (one.erased ? ", erased" : "")])));
  } else {
    parts.push(element("p", { class: "faint" }, "Nothing is counted to have left this board."));
  }
  if (gave) {
    const promise = gave.without_promise ? `${gave.without_promise} of them about which nothing is promised` : `ε ${gave.epsilon.toFixed(2)}` + (gave.limit == null ? "" : ` of ${gave.limit.toFixed(2)} at most`);
    parts.push(element("p", {}, `Gradients given to the crowd: ${gave.gradients}, ${promise}.`));
  }
  parts.push(element("p", {}, `Waiting here: files ${said.waiting.files}, ${(said.waiting.bytes / 1e6).toFixed(1)} MB; events ${said.waiting.events}.`));
  parts.push(element("p", { class: "faint" }, "To erase what left: ", element("code", {}, "gaitway privacy --erase")));
  return parts;
}

export async function showPrivacy() {
  try {
    $("privacy").replaceChildren(...build(await ask("privacy")));
  } catch (error) { $("privacy").replaceChildren(element("p", { class: "faint" }, error.message)); }
}

export function startPrivacy() {
  setInterval(() => { if (!document.hidden && !$("main").hidden) showPrivacy(); }, 300000);
}
