"""PyPI's edgeml-sdk 1.0.0 as it is, against the hub: every call of its registry, roll-outs, experiments, training and telemetry."""
import asyncio
import base64
import hashlib
import os
import subprocess
import sys
import time
import types
import unittest
from pathlib import Path

import httpx

from hub import Hub, until
from support import MODEL, ROOT, TestCase, swift_test


def npy(values):
    """numpy.save of 32-bit numbers; the SDK takes bytes where it has no numpy."""
    import struct
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f", *values)


def numbers(file):
    import struct
    start = 10 + struct.unpack("<H", file[8:10])[0]
    return list(struct.unpack(f"<{(len(file) - start) // 4}f", file[start:]))


class SDKCase(TestCase):
    def setUp(self):
        super().setUp()
        self.kept = {}
        # Its keyring is the desktop's; here a dictionary.
        sys.modules["keyring"] = types.SimpleNamespace(
            set_password=lambda service, name, value: self.kept.__setitem__((service, name), value), get_password=lambda service, name: self.kept.get((service, name)),
            delete_password=lambda service, name: self.kept.pop((service, name)))
        for name in [name for name in sys.modules if name.split(".")[0] == "edgeml"]:
            del sys.modules[name]
        self.hub = Hub(self.directory, "--rate", 0)
        self.addCleanup(self.hub.close)
        self.base = f"{self.hub.address}/api/v1"

    def file(self, name, data):
        path = self.directory / name
        path.write_bytes(data)
        return str(path)

    def client(self, name):
        """A device with its own token."""
        from edgeml.auth import DeviceAuthClient
        from edgeml.federated_client import FederatedClient
        auth = DeviceAuthClient(base_url=self.hub.address, org_id="default", device_identifier=name, keyring_username=name)
        asyncio.run(auth.bootstrap(bootstrap_bearer_token=self.hub.bootstrap()))
        client = FederatedClient(auth_token_provider=auth.get_access_token_sync, api_base=self.base, device_identifier=name)
        client.register()
        return client


class SDK(SDKCase):
    def test_the_device_api(self):
        from edgeml.api_client import EdgeMLClientError
        from edgeml.auth import DeviceAuthClient
        from edgeml.federated_client import FederatedClient
        from edgeml.registry import ModelRegistry

        hub = self.hub
        auth = DeviceAuthClient(base_url=hub.address, org_id="default", device_identifier="python-1")
        first = asyncio.run(auth.bootstrap(bootstrap_bearer_token=hub.bootstrap(), access_ttl_seconds=60))
        self.assertEqual((first.org_id, first.device_identifier, first.scopes), ("default", "python-1", ["devices:write"]))
        self.assertEqual(auth.get_access_token_sync(), first.access_token)
        # Within the minute's last part it refreshes.
        second = auth.get_access_token_sync(refresh_if_expiring_within_seconds=120)
        self.assertNotEqual(second, first.access_token)
        client = FederatedClient(auth_token_provider=auth.get_access_token_sync, api_base=f"{hub.address}/api/v1", device_identifier="python-1")
        device = client.register()
        self.assertEqual(hub.get(f"/devices/{device}")["device_identifier"], "python-1")
        client.api.put(f"/devices/{device}/heartbeat", {"metadata": {"network_type": "ethernet"}})
        client.api.post(f"/devices/{device}/heartbeat", {"battery_level": 70})
        client.api.report_inference_event({"device_id": device, "model_id": "m", "version": "1", "modality": "text", "session_id": "s", "event_type": "generation_completed", "timestamp_ms": int(time.time() * 1000), "metrics": {}})
        self.assertEqual(hub.get(f"/devices/{device}/events")["events"][0]["name"], "generation_completed")

        registry = ModelRegistry(auth_token_provider=lambda: hub.token, api_base=f"{hub.address}/api/v1")
        model = registry.ensure_model("activity", "gaitway", "activity")["id"]
        self.assertEqual(registry.resolve_model_id("activity"), model)
        hub.call("POST", f"/models/{model}/versions/upload", raw=MODEL.read_bytes())
        self.assertEqual(registry.get_latest_version(model), "1")
        result = registry.download(model, "1", str(self.directory / "downloads"), format="safetensors")
        with open(result["model_path"], "rb") as file:
            self.assertEqual(file.read(), MODEL.read_bytes())
        with self.assertRaises(EdgeMLClientError):
            registry.download(model, "1", str(self.directory / "downloads"), format="coreml")
        with self.assertRaises(EdgeMLClientError):
            registry.deploy_version(model, "1", start_immediately=False)
        hub.call("PUT", f"/models/{model}/versions/1/signature", {"dsseEnvelope": {}})
        made = registry.deploy_version(model, "1", rollout_percentage=10, start_immediately=False)
        rollouts = registry.rollouts
        self.assertEqual(rollouts.start(model, made["id"])["status"], "active")
        self.assertEqual(rollouts.advance(model, made["id"])["rollout_percentage"], 20)
        self.assertEqual(rollouts.update_percentage(model, made["id"], 100)["rollout_percentage"], 100)
        self.assertEqual([rollout["id"] for rollout in rollouts.list_active(model)], [made["id"]])
        self.assertEqual(client.api.get(f"/models/{model}/updates", {"current_version": "0"})["new_version"], "1")
        with self.assertRaises(EdgeMLClientError):
            client.api.get(f"/models/{model}/updates", {"current_version": "1"})
        self.assertEqual(client.api.get(f"/devices/{device}/models/{model}/version", {"include_bucket": "true"})["version"], "1")
        self.assertEqual(rollouts.pause(model, made["id"])["status"], "paused")
        self.assertEqual(rollouts.resume(model, made["id"])["status"], "active")
        self.assertGreater(len(rollouts.get_status_history(model, made["id"])), 3)
        asyncio.run(auth.revoke())
        self.assertEqual(self.kept, {})
        with self.assertRaises(EdgeMLClientError):
            FederatedClient(auth_token_provider=lambda: second, api_base=f"{hub.address}/api/v1").api.get(f"/devices/{device}")

    def test_push_pull_deploy(self):
        from edgeml.api_client import EdgeMLClientError
        from edgeml.registry import ModelRegistry
        registry = ModelRegistry(auth_token_provider=lambda: self.hub.token, api_base=self.base)
        model = registry.ensure_model("pose", "gaitway", "activity", description="where it is worn", model_contract={"inputs": 3})["id"]
        # Client.push: a form with the file.
        made = registry.upload_version_from_path(model, str(MODEL), "1.4.0", description="first", formats="safetensors,c-header")
        self.assertEqual((made["version"], made["model_id"], made["version_number"], made["status"]), ("1.4.0", model, 1, "published"))
        self.assertEqual(set(made["formats"]), {"safetensors", "c-header", "onnx", "tflite"})
        self.assertEqual(registry.get_latest_version(model), "1.4.0")
        self.assertEqual(registry.get_version(model, "1.4.0")["checksum"], registry.get_version(model, "1")["checksum"])
        again = registry.upload_version_from_path(model, str(MODEL), "1.4.0")
        self.assertEqual(again["version"], "1.4.0", "the same once more is the same")
        with self.assertRaises(EdgeMLClientError):
            registry.upload_version_from_path(model, self.file("no.safetensors", b"nothing"), "2.0.0")
        with self.assertRaises(EdgeMLClientError):
            registry.upload_version_from_path(model, str(MODEL), "7")
        with self.assertRaisesRegex(EdgeMLClientError, "is version 1.4.0 already"):
            registry.upload_version_from_path(model, str(MODEL), "1.4.1")
        for name in (str(2**63 - 1), "-5", "a/b", "a:b", "latest", ".."):
            with self.assertRaises(EdgeMLClientError, msg=name):
                registry.upload_version_from_path(model, self.file("w.npy", npy([1])), name)
        with self.assertRaises(EdgeMLClientError):
            registry.upload_version_from_path(model, self.file("empty.onnx", b""), "9.0.0")
        tflite = registry.upload_version_from_path(model, self.file("m.tflite", b"\x1c\0\0\0TFL3" + bytes(40)), "1.5.0-rc.1")
        self.assertEqual((tflite["version_number"], tflite["format"]), (2, "tflite"))
        # pull
        result = registry.download(model, "1.4.0", str(self.directory / "a"), format="safetensors")
        self.assertEqual(Path(result["model_path"]).read_bytes(), MODEL.read_bytes())
        header = registry.download_version(model, "1.4.0", "c-header", str(self.directory / "model.h"))
        self.assertIn("gw_network_spec pose", Path(header).read_text())
        # The SDK's own default, and what Android's asks for.
        made = Path(registry.download(model, "1.4.0", str(self.directory / "onnx"))["model_path"]).read_bytes()
        self.assertIn(b"gaitway", made[:16])
        made = Path(registry.download(model, "1.4.0", str(self.directory / "tflite"), format="tensorflow_lite")["model_path"]).read_bytes()
        self.assertEqual(made[4:8], b"TFL3")
        self.assertEqual(registry.download(model, "1.5.0-rc.1", str(self.directory / "b"), device_type="pixel_8")["format"], "tflite")
        with self.assertRaises(EdgeMLClientError):
            registry.download(model, "1.4.0", str(self.directory / "c"), format="coreml")
        # publish, deprecate, metrics, lists
        self.assertEqual(registry.deprecate_version(model, "1.5.0-rc.1")["status"], "deprecated")
        self.assertEqual(registry.get_latest_version(model), "1.4.0")
        self.assertEqual([version["version"] for version in registry.list_versions(model, status_filter="deprecated")["versions"]], ["1.5.0-rc.1"])
        self.assertEqual(registry.publish_version(model, "1.5.0-rc.1")["status"], "published")
        registry.update_version_metrics(model, "1.4.0", {"accuracy": 0.93})
        self.assertEqual(registry.update_version_metrics(model, "1.4.0", {"f1": 0.9})["metrics"], {"accuracy": 0.93, "f1": 0.9})
        self.assertEqual(registry.update_model(model, description="anywhere", use_case="posture")["description"], "anywhere")
        self.assertEqual(registry.get_model(model)["model_contract"], {"inputs": 3})
        self.assertEqual([found["id"] for found in registry.list_models(use_case="posture")["models"]], [model])
        self.assertEqual(registry.list_models(framework="torch")["models"], [])
        # An address, the file, its name.
        place = registry.api.post(f"/models/{model}/versions/upload-url", {"version": "2.0.0"})
        weights = npy([1, 2, 3])
        self.assertEqual(httpx.put(place["upload_url"], content=weights).status_code, 200)
        self.assertEqual(httpx.put(place["upload_url"], content=weights).status_code, 409)
        self.assertEqual(httpx.put(place["upload_url"].replace("signature=", "signature=0"), content=weights).status_code, 403)
        with self.assertRaises(EdgeMLClientError):
            registry.create_version(model, "2.0.0", "uploads/elsewhere", "npy", "", 1)
        with self.assertRaisesRegex(EdgeMLClientError, "SHA-256"):
            registry.create_version(model, "2.0.0", place["storage_path"], "npy", "00" * 32, len(weights))
        made = registry.create_version(model, "2.0.0", place["storage_path"], "npy", hashlib.sha256(weights).hexdigest(), len(weights), metrics={"loss": 1})
        self.assertEqual((made["status"], made["format"], made["metrics"]), ("draft", "npy", {"loss": 1}))
        # The same by the client that has it all in one.
        from edgeml import Client
        client = Client(api_key=self.hub.token, org_id="default", api_base=self.base)
        pushed = client.push(str(MODEL), name="gait", version="0.9.0", formats="onnx")
        self.assertEqual((pushed["version"], client.pull("gait", format="auto", destination=str(self.directory / "d"))["format"]), ("0.9.0", "auto"))
        self.assertEqual({found["name"] for found in client.list_models()["models"]}, {"pose", "gait"})
        self.assertEqual(client.status("gait")["model"]["version_count"], 1)
        # deploy
        with self.assertRaises(EdgeMLClientError):
            registry.deploy_version(model, "1.4.0")
        rollout = registry.deploy_version(model, "1.5.0-rc.1", rollout_percentage=100)
        self.assertEqual((rollout["version"], rollout["status"]), ("1.5.0-rc.1", "active"))
        with self.assertRaises(EdgeMLClientError):
            registry.delete_version(model, "1.5.0-rc.1")
        with self.assertRaises(EdgeMLClientError):
            registry.delete_model(model)
        # Below what the fleet has: refused, with the reason.
        self.hub.call("PUT", f"/models/{model}/versions/1/signature", {"dsseEnvelope": {}})
        with self.assertRaisesRegex(EdgeMLClientError, "none goes back to 1"):
            registry.deploy_version(model, "1.4.0")
        registry.rollouts.delete(model, rollout["id"], force=True)
        second = registry.deploy_version(model, "1.4.0")
        self.assertGreater(second["id"], rollout["id"], "numbers are not used again")
        registry.rollouts.delete(model, second["id"], force=True)
        registry.delete_version(model, "1.5.0-rc.1")
        with self.assertRaises(EdgeMLClientError):
            registry.get_version(model, "2")
        third = registry.upload_version_from_path(model, self.file("w.npy", npy([4, 5])), "3.0.0")
        self.assertEqual(third["version_number"], 4, "neither are versions'")
        registry.delete_model(model)
        self.assertNotEqual(registry.ensure_model("pose", "gaitway", "activity")["id"], model)

    def test_federated_training(self):
        from edgeml.api_client import EdgeMLClientError
        from edgeml.edge import EdgeML
        edge = EdgeML(auth_token_provider=lambda: self.hub.token, api_base=self.base)
        model = edge.registry.ensure_model("shared", "numpy", "activity")["id"]
        edge.registry.upload_version_from_path(model, self.file("w.npy", npy([0, 0, 0])), "1.0.0")
        clients = [self.client(f"python-{index}") for index in range(6)]
        for index, client in enumerate(clients[:5]):
            answer = client.train("shared", npy([1, 2, 3 + index / 10]), version="1.0.0", sample_count=50)
            self.assertTrue(answer[0]["accepted"])
        # One of six lies.
        clients[5].train("shared", npy([1e9, -1e9, 1e9]), version="1.0.0", sample_count=10**9)
        with self.assertRaisesRegex(EdgeMLClientError, "6 updates"):
            edge.federation.train("shared", min_updates=7)
        result = edge.federation.train("shared", min_updates=6, new_version="1.1.0")
        self.assertEqual(result["new_version"], "1.1.0")
        mean = numbers(clients[0].pull_model("shared", version="1.1.0", format="npy"))
        for found, true in zip(mean, (1, 2, 3.2)):
            self.assertAlmostEqual(found, true, delta=0.25)
        with self.assertRaises(EdgeMLClientError):
            edge.federation.train("shared")
        # A round with a plan: two changes end it.
        made = edge.api.post("/training/rounds", {"model_id": model, "version": "1.1.0", "min_clients": 2, "max_clients": 2, "clip_norm": 1.0})
        self.assertEqual((made["state"], made["max_clients"]), ("waiting_for_updates", 2))
        for wrong in ({"secure_aggregation": True}, {"differential_privacy": True}, {"aggregation_type": "krum"}, {"min_clients": 3, "max_clients": 2}):
            with self.assertRaises(EdgeMLClientError, msg=wrong):
                edge.api.post("/training/rounds", {"model_id": model, **wrong})
        assignment = clients[0].get_round_assignment()
        self.assertEqual(assignment["id"], made["id"])
        config = clients[0].get_round_status(made["id"])["config"]
        self.assertEqual((config["version"], config["clip_norm"]), ("1.1.0", 1.0))
        for client in clients[:2]:
            client.api.post("/training/weights", {"model_id": model, "version": "1.1.0", "device_id": client.device_id, "round_id": made["id"], "sample_count": 5, "update_format": "delta", "weights_data": base64.b64encode(npy([0, 0, 100])).decode()})
            if client is clients[0]:
                self.assertIsNone(client.get_round_assignment(), "it has sent its update")
        done = clients[0].get_round_status(made["id"])
        self.assertEqual((done["state"], done["received_update_count"]), ("completed", 2))
        clipped = numbers(clients[0].pull_model("shared", version=done["new_version"], format="npy"))
        self.assertAlmostEqual(clipped[2], mean[2] + 1, places=4)
        self.assertIsNone(clients[0].get_round_assignment())
        for bad in (b"no weights", npy([float("nan")] * 3), npy([1.0])):
            with self.assertRaises(EdgeMLClientError):
                clients[0].train("shared", bad, version="1.1.0") and clients[1].train("shared", npy([1, 2, 3]), version="1.1.0") and clients[0].train("shared", bad, version="1.1.0")
        # Boards' own.
        with self.assertRaises(EdgeMLClientError):
            clients[0].get_personalized_model()
        clients[0].upload_personalized_update(npy([7]), {"loss": 0.1})
        own = clients[0].get_personalized_model()
        self.assertEqual(numbers(base64.b64decode(own["weights_data"])), [7])
        with self.assertRaisesRegex(EdgeMLClientError, "another device"):
            clients[1].api.get(f"/training/personalized/{clients[0].device_id}")
        stranger = self.hub.run("tokens", "create", "--name", "eve", "--org", "others").strip()
        self.assertEqual(self.hub.call("GET", f"/training/personalized/{clients[0].device_id}", token=stranger)[0], 404)
        other = edge.registry.ensure_model("else", "numpy", "activity")["id"]
        edge.registry.upload_version_from_path(other, self.file("w.npy", npy([0, 0])), "1.0.0")
        round_ = clients[0].train("else", npy([1, 2]), version="1.0.0")[0]["round_id"]
        with self.assertRaisesRegex(EdgeMLClientError, "another model"):
            edge.api.post("/training/aggregate", {"model_id": model, "round_id": round_})
        with self.assertRaises(EdgeMLClientError):
            edge.api.post("/training/aggregate", {"model_id": other, "new_version": "x y/<img src=x>"})
        large = "A" * (7 << 20)
        answer = httpx.post(f"{self.base}/training/weights", json={"model_id": model, "weights_data": large}, headers={"Authorization": f"Bearer {self.hub.token}", "Connection": "close"}, timeout=20)
        self.assertEqual(answer.status_code, 413)

    def test_experiments(self):
        from edgeml.api_client import EdgeMLClientError
        from edgeml.registry import ModelRegistry
        registry = ModelRegistry(auth_token_provider=lambda: self.hub.token, api_base=self.base)
        model = registry.ensure_model("pose", "gaitway", "activity")["id"]
        for version in ("1.0.0", "1.1.0"):
            registry.upload_version_from_path(model, self.file(f"{version}.npy", npy([len(version), float(version[2])])), version)
        api, clients = registry.experiments, [self.client(f"board-{index}") for index in range(24)]
        made = api.create(name="newer", model_id=model, control_version="1.0.0", treatment_version="1.1.0", primary_metric="accuracy", min_sample_size=2)
        self.assertEqual((made["status"], [variant["model_version"] for variant in made["variants"]]), ("draft", ["1.0.0", "1.1.0"]))
        path = f"/models/{model}/version"
        with self.assertRaises(EdgeMLClientError):
            clients[0].api.get(f"/devices/{clients[0].device_id}{path}")
        with self.assertRaises(EdgeMLClientError):
            api.pause(made["id"])
        self.assertEqual(api.start(made["id"])["status"], "running")
        given = {client: client.api.get(f"/devices/{client.device_id}{path}") for client in clients}
        self.assertEqual({answer["source"] for answer in given.values()}, {"experiment"})
        self.assertEqual({answer["version"] for answer in given.values()}, {"1.0.0", "1.1.0"}, "both are given")
        self.assertEqual(given, {client: client.api.get(f"/devices/{client.device_id}{path}") for client in clients}, "and stay")
        for client, answer in given.items():
            for step in range(3):
                client.api.post(f"/experiments/{made['id']}/events", {"name": "window", "metrics": {"accuracy": (0.9 if answer["version"] == "1.1.0" else 0.8) + step / 1000}, "device_id": client.device_id})
        found = api.get_analytics(made["id"])
        self.assertEqual(sum(variant["device_count"] for variant in found["variants"]), 24)
        self.assertAlmostEqual(found["comparisons"][0]["difference"], 0.1, places=6)
        self.assertTrue(found["comparisons"][0]["significant"])
        self.assertTrue(api.get_analytics_sample_size(made["id"])["is_sufficient"])
        self.assertEqual({point["metric"] for point in api.get_analytics_timeseries(made["id"])["points"]}, {"accuracy"})
        group = self.hub.call("POST", "/groups", {"name": "left"}, token=self.hub.token)[1]["id"]
        self.assertEqual(api.set_target_groups(made["id"], [group])["group_ids"], [group])
        with self.assertRaises(EdgeMLClientError):
            clients[0].api.get(f"/devices/{clients[0].device_id}{path}")
        api.remove_target_group(made["id"], group)
        self.assertEqual(api.get_target_groups(made["id"])["group_ids"], [])
        self.assertEqual(api.add_target_group(made["id"], group)["group_ids"], [group])
        shares = [{"name": "control", "traffic_allocation": 0}, {"name": "treatment", "traffic_allocation": 100}]
        self.assertEqual(api.update_allocations(made["id"], shares)["variants"][1]["traffic_allocation"], 100)
        with self.assertRaises(EdgeMLClientError):
            api.update_allocations(made["id"], shares[1:] + [{"name": "control", "traffic_allocation": 50}])
        self.assertEqual(api.pause(made["id"])["status"], "paused")
        self.assertEqual(api.resume(made["id"])["status"], "running")
        with self.assertRaises(EdgeMLClientError):
            registry.delete_version(model, "1.1.0")
        with self.assertRaises(EdgeMLClientError):
            clients[0].api.post(f"/experiments/{made['id']}/events", {"metrics": {"accuracy": 1}, "device_id": clients[1].device_id})
        clients[0].api.post(f"/experiments/{made['id']}/events", {"metrics": {"accuracy": 1.7e308}})
        with self.assertRaises(EdgeMLClientError):
            clients[0].api.get(f"/experiments/{made['id']}/analytics")
        self.assertEqual(len(api.get_analytics(made["id"])["variants"]), 2)
        self.assertEqual(api.complete(made["id"])["status"], "completed")
        self.assertEqual([entry["id"] for entry in api.list(model_id=model, status_filter="completed")], [made["id"]])
        other = api.create(name="other", model_id=model, control_version="1.0.0", treatment_version="1.1.0")
        self.assertEqual(api.cancel(other["id"])["status"], "cancelled")
        self.assertEqual(api.get(other["id"])["status"], "cancelled")

    def test_states_and_telemetry(self):
        client = self.client("board-1")
        device, api = client.device_id, client.api
        model = self.hub.call("POST", "/models", {"name": "activity"}, token=self.hub.token)[1]["id"]
        before = api.get(f"/devices/{device}/desired-state")
        self.assertEqual(before["models"], [])
        self.hub.call("POST", f"/models/{model}/versions/upload", raw=MODEL.read_bytes())
        self.hub.run("rollouts", "start", "activity", 1, "--unsigned", "--percent", 100)
        answer = api.post(f"/devices/{device}/sync", {"schemaVersion": "1", "deviceId": device, "knownStateVersion": before["stateVersion"], "modelInventory": []})
        self.assertTrue(answer["stateChanged"])
        wanted = answer["desiredState"]["models"][0]
        self.assertEqual((wanted["modelId"], wanted["desiredVersion"]), (model, "1"))
        again = api.post(f"/devices/{device}/sync", {"knownStateVersion": answer["stateVersion"]})
        self.assertEqual((again["stateChanged"], "desiredState" in again), (False, False))
        api.post(f"/devices/{device}/observed-state", {"activeVersions": [{"modelId": model, "version": "1"}]})
        self.assertEqual(self.hub.get(f"/devices/{device}/observed-state")["observedState"]["activeVersions"][0]["version"], "1")
        until(lambda: (self.hub.get("/rollouts")["rollouts"][0]["progress"] or {}).get("committed") == 1, 10, "what a device says that it runs counts")
        self.assertEqual(api.get(f"/devices/{device}/assignments")["assignments"][0]["model_id"], model)

        event = {"name": "window", "timestamp": "2026-11-01T10:00:00Z", "attributes": {"n": 1}}
        camel = api.post("/telemetry/batches", {"batchId": "a", "deviceId": device, "events": [event]})
        snake = api.post("/telemetry/batches", {"batch_id": "b", "device_id": device, "events": [event, event]})
        self.assertEqual((camel["ackedThroughSeq"], snake["acked_through_seq"], snake["batch_id"]), (1, 2, "b"))
        record = {"timeUnixNano": str(10**18), "eventName": "otlp", "attributes": [{"key": "steps", "value": {"intValue": "12"}}, {"key": "where", "value": {"stringValue": "wrist"}}]}
        logs = {"resourceLogs": [{"resource": {"attributes": [{"key": "device_id", "value": {"stringValue": device}}]}, "scopeLogs": [{"logRecords": [record]}]}]}
        answer = httpx.post(f"{self.hub.address}/api/v2/telemetry/events", json=logs, headers={"Authorization": f"Bearer {client.api.auth_token_provider()}"})
        self.assertEqual((answer.status_code, answer.json()["accepted"]), (200, 1))
        found = self.hub.get(f"/devices/{device}/events?name=otlp")["events"]
        self.assertEqual((found[0]["at"], found[0]["attributes"]), (1e9, {"steps": 12, "where": "wrist"}))
        self.assertEqual(len(self.hub.get(f"/devices/{device}/events?name=window")["events"]), 3)

    def test_scopes(self):
        """A token does what it is for; the bootstrap token and a refresh narrow it, and nothing widens it again."""
        hub = self.hub
        def tokens(scopes, token):
            return hub.call("POST", "/device-auth/bootstrap", {"org_id": "default", "device_identifier": "b", "scopes": scopes}, token=token)
        self.assertEqual(tokens(["devices:everything"], hub.bootstrap())[0], 422)
        owner = self.client("b").api.auth_token_provider()
        device = hub.call("GET", "/devices", token=hub.token)[1]["devices"][0]["id"]
        self.assertEqual(hub.call("PUT", f"/devices/{device}/heartbeat", {}, token=owner)[0], 200)
        allowed = {
            "devices:read": [("GET", f"/devices/{device}")], "models:read": [("GET", "/models")],
            "telemetry:write": [("POST", "/inference/events")], "training:write": [("GET", "/training/rounds")],
        }
        for scope in allowed:
            hub.run("devices", "reopen", "b")
            token = tokens([scope], hub.bootstrap())[1]["access_token"]
            for other, calls in allowed.items():
                for method, path in calls:
                    status = hub.call(method, path, None if method == "GET" else {}, token=token)[0]
                    self.assertEqual(status == 403, scope != other, (scope, path, status))
            self.assertEqual(hub.call("PUT", f"/devices/{device}/heartbeat", {}, token=token)[0], 403)
        narrow = hub.run("tokens", "create", "--bootstrap", "--scopes", "devices:read,models:read").strip()
        hub.run("devices", "reopen", "b")
        status, given, _ = tokens(["devices:write"], narrow)
        self.assertEqual((status, given["scopes"]), (201, ["devices:read", "models:read"]))
        self.assertEqual(tokens(["telemetry:write"], narrow)[0], 403)
        status, given, _ = hub.call("POST", "/device-auth/refresh", {"refresh_token": given["refresh_token"], "scopes": ["models:read"]})
        self.assertEqual((status, given["scopes"]), (200, ["models:read"]))
        status, given, _ = hub.call("POST", "/device-auth/refresh", {"refresh_token": given["refresh_token"], "scopes": ["devices:write"]})
        self.assertEqual((status, given["scopes"]), (200, ["models:read"]))
        self.assertEqual(hub.call("GET", f"/devices/{device}", token=given["access_token"])[0], 403)

    @unittest.skipUnless((ROOT / ".build-test").is_dir(), "no test build in .build-test (board/test makes it)")
    def test_the_ios_sdks_readme(self):
        hub = self.hub
        token = hub.run("tokens", "create", "--bootstrap", "--org", "your_org_id").strip()
        command = swift_test("EdgeMLTests.ReadmeTests")
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, env={**os.environ, "GAITWAY_STRICT": "1", "GAITWAY_FLEET_SERVER": hub.address, "GAITWAY_FLEET_TOKEN": token})
        self.assertEqual(result.returncode, 0, result.stdout[-2000:])
        self.assertIn("board-", hub.run("devices", "list", "--org", "your_org_id"))


if __name__ == "__main__":
    unittest.main()
