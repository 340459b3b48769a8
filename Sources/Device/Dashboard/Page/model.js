// The model that decides, the one that is tried beside it, and another one that somebody drops here.
import { $, ask, element, facts, percent, send } from "./page.js";

const stages = { shadow: "beside it: its decisions are compared", probation: "on probation: it decides, and may be taken back" };

export function showModel(status) {
  const models = status.models || {};
  const refused = (models.refused || []).map(one => (one.version ? `version ${one.version}: ` : "") + one.reason);
  facts($("model"), [
    ["runs", `version ${status.model_version}` + (models.pinned ? ", pinned" : "") + (models.expired ? ", has expired" : "")],
    ["is tried", models.candidate ? `version ${models.candidate}, ${stages[models.stage] || models.stage}` + (models.progress == null ? "" : `, ${percent(models.progress)}`) : null],
    ["is offered", models.offered ? (models.offered.version ? `version ${models.offered.version}` : models.offered.name) : null],
    ["before it", models.previous ? `version ${models.previous}` : null],
    ["waits", models.deferred ? models.deferred.reason : null],
    ["refused", refused.length ? element("span", {}, refused.slice(0, 3).join("; ")) : null],
  ]);
  $("accept").hidden = !models.offered;
  $("rollback").hidden = models.previous == null && models.current == null;
}

async function install(files) {
  const list = [...files], model = list.find(file => !file.name.endsWith(".sig")), signature = list.find(file => file.name.endsWith(".sig"));
  if (!model) return say("Choose the model's file, too.");
  say(`${model.name} is sent ${signature ? "with its signature" : "without a signature"} ...`);
  try {
    const answer = await ask(`model?name=${encodeURIComponent(model.name)}&signature=${signature ? signature.size : 0}`, { method: "POST", body: new Blob(signature ? [model, signature] : [model]) });
    say(answer.text + (answer.signed ? "; its signature was checked where this board has a key" : "; it has no signature"));
    showModel(await ask("status"));
  } catch (error) { say(error.message); }
}

const say = text => { $("model-state").textContent = text; };

export function startModel() {
  const drop = $("drop");
  $("model-file").addEventListener("change", event => {
    install(event.target.files);
    event.target.value = "";
  });
  for (const name of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(name, event => {
      event.preventDefault();
      drop.classList.toggle("over", name === "dragover");
      if (name === "drop") install(event.dataTransfer.files);
    });
  }
  $("accept").addEventListener("click", async () => {
    try {
      showModel(await send("accept", "POST"));
      say("It is fetched, and tried beside the present one.");
    } catch (error) { say(error.message); }
  });
  $("rollback").addEventListener("click", async () => {
    try {
      showModel(await send("rollback", "POST"));
      say("The model before decides again.");
    } catch (error) { say(error.message); }
  });
}
