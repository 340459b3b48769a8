"""IIO accelerometers, mocked with umockdev: what libiio reads becomes the same decisions as the same samples in a file.

The mock proves parsing and decoding. It has no EBUSY, no overrun and no unplugging; board/emulator has a real kernel for that.
"""
import concurrent.futures
import struct
import unittest

from mocked import Mocked, description, q12
from support import gaitway, lines


class IIO(Mocked):
    def test_lis3dh(self):
        self.buffered("lis3dh", "le:s12/16>>4", lambda v: struct.pack("<3h", *(x << 4 | 5 for x in v)), "0.009582")

    def test_mxc4005_big_endian(self):
        self.buffered("mxc4005", "be:s12/16>>4", lambda v: struct.pack(">3h", *(x << 4 for x in v)), "0.009576806")

    def test_kxsd9_unsigned_with_offset(self):
        self.buffered("kxsd9", "be:u12/16>>4", lambda v: struct.pack(">3H", *(x << 4 for x in v)), "0.011978", offset="-2048", limit=900)

    def test_hid_sensor_with_the_next_axis_above(self):
        def pack(v):
            return struct.pack("<6h", v[0], v[1], v[1], v[2], v[2], 0)
        self.buffered("accel_3d", "le:s16/32>>0", pack, "0.009806650", limit=1000)

    def test_mount_matrix_and_names(self):
        for key in ("mount_matrix", "in_mount_matrix", "in_accel_mount_matrix"):
            with self.subTest(key):
                self.buffered("bma180", "le:s14/16>>2", lambda v: struct.pack("<3h", *(x << 2 for x in v)), "0.002452", limit=4000,
                              extra={key: "0, 1, 0; -1, 0, 0; 0, 0, 1"}, mount=lambda v: [v[1], -v[0], v[2]])

    def test_without_trigger_it_polls(self):
        devices = [description("adxl345", {f"in_accel_{axis}_scale": f"0.0383{axis_number}" for axis_number, axis in enumerate("xyz")}, raw=(250, -30, 12))]
        result = self.mocked(devices, None, "run", "--source", "iio", "--duration", "3.84", "--json")
        found = lines(result)
        self.assertIn("polled", result.stderr)
        rows = ["time,x,y,z"] + [f"{i / 50:.2f}," + ",".join(f"{q12(v, f'0.0383{a}', 0) / 4096:.12f}" for a, v in enumerate((250, -30, 12))) for i in range(200)]
        (self.directory / "same.csv").write_text("\n".join(rows) + "\n")
        expected = lines(gaitway("run", "--source", f"recording:{self.directory / 'same.csv'}", "--speed", "max", "--json"))
        self.assertEqual(found, expected[:1 + (192 - 128) // 64])
        self.assertGreater(len(found), 0)

    def test_record_takes_the_sensors_own_samples(self):
        devices = [description("adxl345", {"in_accel_scale": "0.038300"}, raw=(250, -30, 12))]
        store = self.directory / "recordings"
        result = self.mocked(devices, None, "record", "--label", "still", "--seconds", "1", "--countdown", "1", "--recordings", str(store))
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = [line.split(",")[1:] for line in next(store.iterdir()).read_text().splitlines()[1:]]
        self.assertEqual(len(rows), 50)
        self.assertEqual({tuple(round(float(v) * 4096) for v in row) for row in rows}, {tuple(q12(v, "0.0383", 0) for v in (250, -30, 12))})

    def test_swift_hars_recordings_have_100_hz_where_the_sensor_can(self):
        devices = [description("adxl345", {"in_accel_scale": "0.038300"}, raw=(250, -30, 12))]
        store = self.directory / "recordings"
        result = self.mocked(
            devices, None, "record", "--label", "still", "--seconds", "2", "--countdown", "1", "--recordings", str(store), "--compat", "swift-har")
        self.assertEqual(result.returncode, 0, result.stderr)
        times = [float(line.split(",")[0]) for line in next(store.iterdir()).read_text().splitlines()[1:]]
        self.assertEqual(len(times), 200)
        self.assertEqual({round(b - a, 4) for a, b in zip(times, times[1:])}, {0.01})
        self.assertNotIn("there are", result.stderr)

    def test_a_rate_that_is_not_the_announced_one(self):
        # Setting it up again does not help: what comes is what counts, with and without times of the samples.
        cases = [(rate, clock) for rate in (25, 50, 100) for clock in ("none", "constant", "kernel")]
        with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
            runs = list(pool.map(lambda case: self.fed(*case[:1], 40, case[1], "run", "--source", "iio", "--json", "--stats"), cases))
        for (rate, clock), run in zip(cases, runs):
            with self.subTest(rate=rate, clock=clock):
                found = lines(run)
                statistics = [o["stats"] for o in found if "stats" in o][-1]
                self.assertEqual(statistics["lost"], 0, run.stderr)
                if rate == 50:
                    self.assertEqual((statistics["gaps"], "not 50.0 Hz" in run.stderr), (0, False), run.stderr)
                    continue
                self.assertRegex(run.stderr, r"samples at (\d+)\.\d Hz, not 50\.0 Hz, again; it is taken at that rate", run.stderr)
                self.assertEqual(statistics["gaps"], 2, run.stderr)
                # From then on a second of samples is a second: 31 decisions in 40, where 100 Hz taken for 50 gave 62; and 25 Hz taken
                # for 50 would end at 20 s.
                decisions = [o for o in found if "activity" in o]
                if rate == 100: self.assertTrue(17 <= len(decisions) <= 56, f"{len(decisions)} decisions")
                if rate == 25: self.assertTrue(32 <= decisions[-1]["t"] <= 41, decisions[-1]["t"])
                self.assertAlmostEqual(statistics["measured_rate"], rate, delta=rate / 10)

    def test_devices_says_what_to_do(self):
        devices = [description("lis3dh", {"in_accel_scale": "0.009582"}, ["le:s12/16>>4"] * 3), description("adxl345", {}, number=1)]
        found = lines(self.mocked(devices, None, "devices", "--json"))
        self.assertEqual([(d["name"], d["buffered"]) for d in found], [("lis3dh", True), ("adxl345", False)])
        self.assertEqual(found[0]["problems"], [])
        self.assertIn("the driver gives no scale", [p["problem"] for p in found[1]["problems"]])
        self.assertIn("lis3dh", self.mocked(devices, None, "devices").stdout)
        refused = self.mocked(devices, None, "run", "--source", "iio:bmc150")
        self.assertEqual(refused.returncode, 69)
        self.assertIn("lis3dh (iio:device0), adxl345 (iio:device1)", refused.stderr)


if __name__ == "__main__":
    unittest.main()
