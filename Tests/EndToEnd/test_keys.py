"""Who may sign models is replaced while boards run: lists of keys, by a hub and by hand."""
import json
import os
import unittest

from hub import HUB, Board, Hub, until
from support import TestCase, gaitway, needs
from test_hub import key, make

SCRIPT = "simulated:" + ",".join(["stand=4,walk=4,lie=4"] * 60)


@needs("openssl")
class Lists(TestCase):
    def setUp(self):
        super().setUp()
        self.keys = {name: key(self.directory, name) for name in ("ann", "ben", "old", "new")}

    def gaitway(self, *arguments, code=0):
        result = gaitway(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def list(self, name, signer, *more, owners=("ann", "ben")):
        path = self.directory / name
        self.gaitway("keys", "create", "--model-key", self.keys[signer][1], "--output", path, *more)
        for owner in owners:
            self.gaitway("keys", "sign", path, "--key", self.keys[owner][0])
        return path

    def first(self):
        return self.list("keys-1.json", "old", "--owner", self.keys["ann"][1], "--owner", self.keys["ben"][1], "--owners", 2)

    def model(self, version, signer, *more):
        return make(self.directory / f"m{version}.safetensors", self.keys[signer][0], version, *more)

    def test_making_and_reading_them(self):
        path = self.first()
        shown = json.loads(self.gaitway("keys", "show", path, "--json").stdout)
        self.assertEqual((shown["version"], shown["signed"], shown["owners"]["threshold"], len(shown["owners"]["keys"])), (1, True, 2, 2))
        self.assertIn("owners: 2 of 2", self.gaitway("keys", "show", path).stdout)
        half = self.list("half.json", "new", "--after", path, owners=("ann",))
        self.assertIn("version 2, not signed by enough of its owners", self.gaitway("keys", "show", half).stdout)
        self.assertRefused(gaitway("keys", "show", half, "--after", path), 77, "do not take this list: it is version 2 after 1")
        self.assertIn("version 2\n", self.gaitway("keys", "show", self.list("whole.json", "new", "--after", path), "--after", path).stdout)
        model = self.model(2, "new")
        self.assertRefused(gaitway("model", "verify", model, "--key", half), 77, "is not signed by 2 of its owners")
        self.assertRefused(gaitway("model", "sign", model, "--key", self.keys["new"][0], "--keys", half), 77, "is not signed by 2")
        self.assertRefused(gaitway("keys", "show", model), 65, "is no list of keys")
        self.assertRefused(gaitway("keys", "create", "--output", self.directory / "x"), 64, "a first list needs --owner")
        self.assertRefused(
            gaitway("keys", "create", "--owner", self.keys["ann"][1], "--owners", 2, "--model-key", self.keys["new"][1], "--output", self.directory / "x"),
            65, "2 signatures of 1 different keys")

    def test_two_people_sign_a_model(self):
        path = self.list("two.json", "old", "--model-key", self.keys["new"][1], "--signers", 2, "--owner", self.keys["ann"][1], owners=("ann",))
        model = self.model(2, "old")
        self.assertRefused(gaitway("model", "verify", model, "--key", path), 77, "not of the trusted key")
        self.gaitway("model", "sign", model, "--key", self.keys["new"][0], "--add")
        self.gaitway("model", "verify", model, "--key", path)
        self.assertRefused(gaitway("model", "sign", model, "--key", self.keys["new"][0], "--add", "--model-version", 3), 64, "changes nothing")

    @unittest.skipUnless(os.path.exists(HUB), f"no hub: {HUB}")
    def test_a_hub_brings_the_next_list_and_never_the_one_before(self):
        hub = Hub(self.directory, "--heartbeat", 1, "--rate", 0, "--strangers-rate", 0)
        self.addCleanup(hub.close)
        state, first = self.directory / "board", self.first()
        state.mkdir()
        board = Board(state, SCRIPT, trusted_key=first, model=self.model(1, "old"), placement="waist", updates_shadow_windows=3,
                      updates_probation_windows=2, updates_retry=1)
        self.addCleanup(board.kill)
        board.register(hub.address, hub.bootstrap(1))
        board.start()
        until(lambda: hub.devices() and hub.devices()[0].get("active_model_version") == "1", 20, lambda: board.said)
        organisation = json.loads((state / "registration.json").read_text())["orgId"]

        def offered(version, signer, *more):
            hub.run("models", "add", "activity", self.model(version, signer, *more))
            hub.run("rollouts", "start", "activity", version, "--percent", 100, "--error", 1)

        def outcome(version, state, *words):
            def there():
                found = [model for model in hub.devices()[0]["models"] if model["version"] == str(version)]
                return found and found[0]["state"] == state and all(word in found[0].get("reason", "") for word in words)
            until(there, 40, lambda: f"{version}: {hub.devices()[0]['models']} {board.said[-5:]}")

        second = self.list("keys-2.json", "new", "--after", first)
        offered(2, "new")
        outcome(2, "refused", "not of the trusted key")
        offered(3, "new", "--keys", second, "--model", "activity", "--fleet", organisation, "--placement", "waist")
        outcome(3, "committed")
        shown = board.gaitway("keys", "show")
        self.assertIn("version 2\n", shown.stdout, shown.stderr)
        offered(4, "old")
        outcome(4, "refused", "not of the trusted key")
        offered(5, "new", "--fleet", "somebody-else")
        outcome(5, "refused", "was signed for boards of somebody-else")
        offered(6, "new", "--model", "falls")
        outcome(6, "refused", "was signed as falls")
        offered(7, "new", "--placement", "wrist")
        outcome(7, "refused", "was signed for wrist")
        offered(8, "old", "--keys", first)
        outcome(8, "refused", "not of the trusted key")
        # The program begins anew: the list that came stays, and so does the model that it brought.
        board.stop()
        board.start()
        until(lambda: board.status().get("model_version") == 3, 20, lambda: board.said)


if __name__ == "__main__":
    unittest.main()
