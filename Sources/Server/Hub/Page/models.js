"use strict";
// Models, their versions, and roll-outs of them.

// Whether a signature of OpenSSF model-signing is of this very file; by whom, the boards prove: the hub has no key.
async function check(signature, file) {
  let digests;
  try {
    const envelope = JSON.parse(await signature.text()).dsseEnvelope;
    digests = JSON.parse(atob(envelope.payload)).predicate.resources.map(one => one.digest);
  } catch { throw new Error("The signature is none of OpenSSF model-signing: gaitway model sign makes one."); }
  // Browsers have SHA-256 for pages with TLS, and this machine's own.
  if (!crypto.subtle) return;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  if (!digests.includes([...digest].map(byte => byte.toString(16).padStart(2, "0")).join(""))) throw new Error("The signature is of another file.");
}

async function addVersion(name, file, signature) {
  if (signature) await check(signature, file);
  const all = (await api("/models?limit=500")).models, model = all.find(one => one.name === name || one.id === name) ?? await api("/models", "POST", { name });
  const made = await api(`/models/${model.id}/versions/upload`, "POST", file);
  if (signature) await api(`/models/${model.id}/versions/${made.version}/signature`, "PUT", signature);
}

function addModel(all) {
  const submit = event => {
    event.preventDefault();
    const form = event.target, [name, file, signature] = form.elements;
    act(async () => { await addVersion(name.value.trim(), file.files[0], signature.files[0]); form.reset(); });
  };
  return make("details", { class: "card" }, make("summary", {}, "Add a version"),
    make("form", { submit, "data-key": "add" }, make("p", {}, make("label", {}, "model ", make("input", { type: "text", required: "", maxlength: 100, list: "models", value: all.length === 1 ? all[0].name : "activity" }))), make("datalist", { id: "models" }, ...all.map(model => make("option", { value: model.name }))),
      make("p", {}, make("label", {}, "file ", make("input", { type: "file", required: "" }))),
      make("p", {}, make("label", {}, "signature, where it is signed (gaitway model sign writes FILE.sig) ", make("input", { type: "file" }))), make("button", { type: "submit" }, "Add")));
}

function rollOut(model, version, groups) {
  const submit = event => {
    event.preventDefault();
    const [group, percentage, unsigned] = event.target.elements;
    act(async () => {
      await api(`/models/${model.id}/rollouts`, "POST", { version: version.version, group_id: group.value || null, rollout_percentage: Number(percentage.value), allow_unsigned: unsigned.checked === true });
      location.hash = "#/rollouts";
    });
  };
  return make("details", { "data-key": `roll out ${model.id} ${version.version}` }, make("summary", {}, "Roll out"),
    make("form", { class: "row tools", submit }, make("label", {}, "to ", make("select", {}, make("option", { value: "" }, "all boards"), ...groups.map(group => make("option", { value: group.id }, group.name)))),
      make("label", {}, "of them at first, % ", make("input", { type: "number", required: "", min: 0.1, max: 100, step: "any", value: 10 })),
      version.signed ? null : make("label", {}, make("input", { type: "checkbox" }), " although it is not signed"), make("button", { type: "submit" }, "Start")));
}

async function modelList() {
  const [{ models: all, total }, { groups }] = await Promise.all([recent("/models?limit=50", 10), recent("/groups", 30)]);
  const versions = await Promise.all(all.map(model => recent(`/models/${model.id}/versions?limit=20`, 60)));
  return [
    make("h1", {}, "Models"),
    all.length ? null : make("p", { class: "faint" }, "There are none yet."),
    ...all.map((model, index) => make("section", { class: "card", "data-key": model.id },
      make("h2", {}, model.name), model.description ? make("p", { class: "faint" }, model.description) : null,
      versions[index].versions.length ? table(["version", "state", "signed", "knows", "size", "added", "roll-out"], versions[index].versions.map(version => [
        version.version, state(version.status), version.signed ? "signed" : make("span", { class: "state warn" }, "not signed"), { wide: version.labels.join(", ") || version.format }, (version.size_bytes / 1e3).toFixed(0) + " kB", ago(version.created_at),
        version.status === "deprecated" ? "" : { wide: rollOut(model, version, groups) }])) : make("p", { class: "faint" }, "It has no version yet."),
      versions[index].total > 20 ? make("p", { class: "faint" }, `The last 20 of ${versions[index].total}`) : null)),
    total > all.length ? make("p", { class: "faint" }, `The first ${all.length} of ${total}; gaitway-hub models lists all of them.`) : null,
    addModel(all),
  ];
}
