// Recording, training and guessing on the board: one at a time, with how it goes and what came of it.
import { $, ask, element, percent, send } from "./page.js";

const starters = ["train", "guess", "personalise", "wear"];
let timer = null, wearing = null, isBusy = false;

const say = text => { if ($("work").textContent !== text) $("work").textContent = text; };

// Buttons stay where the focus may be.
function busy(now) {
  isBusy = now;
  for (const button of [...starters.map($), $("record").querySelector("button")]) button.setAttribute("aria-disabled", String(isBusy));
  $("stop").hidden = !isBusy;
}

function outcome(work) {
  if (work.error) return `${work.name}: ${work.error}`;
  const result = work.result;
  if (!result) return "";
  if (result.shares) {
    const shares = Object.entries(result.shares).sort((a, b) => b[1] - a[1]).slice(0, 3);
    return `That was ${result.activity}: ` + shares.map(([name, share]) => `${name} ${percent(share)}`).join(", ");
  }
  if (result.path) return `${result.seconds} s of ${result.label} are kept.`;
  if (result.output) return `Trained${result.accuracy == null ? "" : `, ${percent(result.accuracy)} right on the parts it had not seen`}. Guess tries it.`;
  return typeof result === "string" ? result : "Done.";
}

async function poll(shown) {
  clearTimeout(timer);
  try {
    const work = await ask("work");
    busy(work.running);
    if (work.running) {
      say([work.name, work.progress].filter(Boolean).join(": "));
      timer = setTimeout(() => poll(true), 500);
    } else if (shown) {
      say(outcome(work));
      showRecordings();
    }
  } catch (error) { say(error.message); }
}

async function begin(body) {
  if (isBusy) return;
  try {
    busy(true);
    await send("work", "POST", body);
    poll(true);
  } catch (error) {
    busy(false);
    say(error.message);
  }
}

// The service has the sensor: it learns again while its wearer walks, and goes by what it knew before where nobody does.
async function wear() {
  if (isBusy) return;
  try {
    busy(true);
    const before = (await ask("status")).times_learnt ?? 0;
    await send("wear", "POST");
    const end = Date.now() + 90000;
    await new Promise(done => setTimeout(done, 3000));
    for (wearing = true; wearing && Date.now() < end;) {
      const status = await ask("status");
      if (status.orientation === "learnt" && status.times_learnt <= before) return say("Another program had what was known before count again.");
      if (status.orientation === "learnt") return say(`Worn at the ${status.placement || "body"}; which way is up was learnt.`);
      say(`Walk straight on, ${Math.round((end - Date.now()) / 1000)} s left`);
      await new Promise(done => setTimeout(done, 1000));
    }
    await send("undo-wear", "POST");
    say(`${wearing ? "Nobody walked for a quarter of a minute" : "Interrupted"}: what was known before counts again.`);
  } catch (error) { say(error.message); } finally {
    wearing = null;
    busy(false);
  }
}

async function showRecordings() {
  if (!$("recordings").open) return;
  const list = $("recordings-list");
  try {
    const found = await ask("recordings");
    list.replaceChildren(found.length ? element("table", {},
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "recording"), element("th", { scope: "col", class: "number" }, "seconds"))),
      element("tbody", {}, ...found.map(one => element("tr", {}, element("td", {}, one.name), element("td", { class: "number" }, one.seconds.toFixed(1))))))
      : element("p", { class: "faint" }, "None yet."));
  } catch (error) { list.replaceChildren(element("p", { class: "faint" }, error.message)); }
}

export function startTraining() {
  $("record").addEventListener("submit", event => {
    event.preventDefault();
    begin({ command: "record", label: $("record-label").value.trim(), seconds: Number($("record-seconds").value) });
  });
  for (const name of ["train", "guess", "personalise"]) $(name).addEventListener("click", () => begin({ command: name }));
  $("wear").addEventListener("click", wear);
  $("stop").addEventListener("click", () => {
    if (wearing) wearing = false; else send("work", "DELETE").catch(error => say(error.message));
  });
  $("recordings").addEventListener("toggle", showRecordings);
  if (localStorage.getItem("token")) poll(false);
}
