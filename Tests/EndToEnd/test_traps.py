"""What accelerometers do on Linux, one test for each trap that a mock can show. Traps of a real kernel (unplugging, EBUSY, suspend,
triggers that vanish) are in board/emulator, which names its checks the same way."""
import json
import struct
import time
import unittest

from mocked import Mocked, description, movement
from support import GAITWAY, WAIST, lines

SCALE = "0.009582"
PERIOD = 20_000_000
LIS3DH = ["le:s12/16>>4"] * 3


def words(xyz):
    return struct.pack("<3h", *(v << 4 for v in xyz))


def stamped(scans, times):
    return [scan + bytes(-len(scan) % 8) + struct.pack("<q", at) for scan, at in zip(scans, times)]


class Traps(Mocked):
    def run_lis3dh(self, times, *arguments, counts=None, attributes=None, **device):
        counts = counts or movement(len(times), 1000)
        devices = [description("lis3dh", {"in_accel_scale": SCALE, **(attributes or {})}, LIS3DH, **device)]
        return self.mocked(devices, stamped([words(xyz) for xyz in counts], times), "run", "--source", "iio", "--json", "--stats", *arguments)

    def parts(self, result):
        objects = lines(result)
        return [o for o in objects if "activity" in o], [o["stats"] for o in objects if "stats" in o][-1]

    def test_trap_03_overrun_is_counted_from_timestamps(self):
        # 300 samples, 40 missing, 300 more.
        times = [10**12 + (i + (40 if i >= 300 else 0)) * PERIOD for i in range(600)]
        counts = movement(600, 1000)
        # A network that keeps nothing of how it is worn.
        result = self.run_lis3dh(times, "--duration", "11.52", "--model", WAIST, counts=counts)
        found, stats = self.parts(result)
        self.assertEqual((stats["lost"], stats["gaps"]), (40, 1))
        self.assertIn("40 samples (0.80 s) are missing", result.stderr)
        before, after = [d for d in found if d["t"] <= 6], [d for d in found if d["t"] > 6]
        self.assertEqual([len(before), len(after)], [3, 3])
        self.same_as_file(before, counts, SCALE, model=WAIST)
        # No window holds samples from before: they are those of a recording that begins there; steps go on, since the walk does.
        shift = after[0]["t"] - 2.58
        alike = [{**{key: d[key] for key in d if key != "steps"}, "t": round(d["t"] - shift - 0.02, 2)} for d in after]
        self.same_as_file(alike, counts[300:], SCALE, model=WAIST)

    def test_trap_04_zero_timestamps_are_paced_by_count(self):
        found, stats = self.parts(self.run_lis3dh([0] * 400, "--duration", "6.4"))
        self.assertEqual((stats["lost"], stats["gaps"], len(found)), (0, 0, 4))

    def test_trap_04_a_clock_that_steps_is_not_believed(self):
        # The driver keeps its realtime clock, which jumps an hour: what cannot be trusted is not measured with.
        times = [10**18 + i * PERIOD + (3600 * 10**9 if i > 200 else 0) for i in range(400)]
        devices = [description("lis3dh", {"in_accel_scale": SCALE}, LIS3DH).replace("A: current_timestamp_clock=realtime\\n\n", "")]
        counts = movement(400, 1000)
        scans = stamped([words(xyz) for xyz in counts], times)
        found, stats = self.parts(self.mocked(devices, scans, "run", "--source", "iio", "--json", "--stats", "--duration", "6.4"))
        self.assertEqual((stats["lost"], stats["gaps"], len(found)), (0, 0, 4))
        self.same_as_file(found, counts, SCALE)

    def test_trap_07_reads_end_in_the_middle_of_a_scan(self):
        counts = movement(400, 1000)
        whole = b"".join(stamped([words(xyz) for xyz in counts], [10**12 + i * PERIOD for i in range(400)]))
        pieces = [whole[i : i + 5] for i in range(0, len(whole), 5)]
        result = self.mocked([description("lis3dh", {"in_accel_scale": SCALE}, LIS3DH)], pieces, "run", "--source", "iio", "--json", "--duration", "6.4")
        self.same_as_file(lines(result), counts, SCALE)

    def test_trap_09_padding_inside_and_at_the_end_of_a_scan(self):
        # Three 32-bit words, 4 bytes of padding, the time: 24 bytes. Then the time first, three 16-bit words, 2 bytes of padding: 16.
        counts = movement(400, 1000)
        times = [10**12 + i * PERIOD for i in range(400)]
        inside = [struct.pack("<3i4xq", *xyz, at) for xyz, at in zip(counts, times)]
        result = self.mocked([description("wide", {"in_accel_scale": SCALE}, ["le:s32/32>>0"] * 3)], inside, "run", "--source", "iio", "--json", "--duration", "6.4")
        self.same_as_file(lines(result), counts, SCALE)
        channels = [("timestamp", 0, "le:s64/64>>0")] + [(f"accel_{axis}", 1 + i, "le:s16/16>>0") for i, axis in enumerate("xyz")]
        tail = [struct.pack("<q3h2x", at, *xyz) for xyz, at in zip(counts, times)]
        result = self.mocked([description("tail", {"in_accel_scale": SCALE}, channels=channels)], tail, "run", "--source", "iio", "--json", "--duration", "6.4")
        self.same_as_file(lines(result), counts, SCALE)

    def test_trap_10_the_index_orders_a_scan_not_the_directory(self):
        counts = movement(400, 1000)
        channels = [("accel_z", 0, "be:s16/16>>0"), ("accel_x", 1, "le:s16/16>>0"), ("accel_y", 2, "le:s12/16>>4"), ("timestamp", 3, "le:s64/64>>0")]
        scans = [struct.pack(">h", z) + struct.pack("<hh", x, y << 4) + struct.pack("<2xq", 10**12 + i * PERIOD) for i, (x, y, z) in enumerate(counts)]
        result = self.mocked([description("odd", {"in_accel_scale": SCALE}, channels=channels)], scans, "run", "--source", "iio", "--json", "--duration", "6.4")
        self.same_as_file(lines(result), counts, SCALE)

    def test_trap_11_other_channels_are_left_out_and_axes_may_differ(self):
        counts = movement(400, 1000)
        channels = [(f"accel_{axis}", i, "le:s16/16>>0") for i, axis in enumerate("xyz")] + [("anglvel_x", 3, "le:s16/16>>0"), ("temp", 4, "le:s16/16>>0"), ("timestamp", 5, "le:s64/64>>0")]
        scans = [struct.pack("<3h2xq", *xyz, 10**12 + i * PERIOD) for i, xyz in enumerate(counts)]
        attributes = {f"in_accel_{axis}_scale": SCALE for axis in "xyz"} | {"in_temp_scale": "1", "in_anglvel_x_raw": "0", "in_temp_raw": "0"}
        result = self.mocked([description("imu", attributes, channels=channels)], scans, "run", "--source", "iio", "--json", "--duration", "6.4")
        self.same_as_file(lines(result), counts, SCALE)

    def test_trap_11_rates_given_as_a_range(self):
        devices = [description("lis3dh", {"in_accel_scale": SCALE, "sampling_frequency_available": "[1 3.5 400]"}, LIS3DH).replace("A: sampling_frequency=50\\n\n", "A: sampling_frequency=1\\n\n")]
        devices[0] = devices[0].replace("A: trigger/current_trigger=t50\\n\n", "A: trigger/current_trigger=none\\n\n")
        found = lines(self.mocked(devices, [], "devices", "--json"))
        self.assertEqual(found[0]["rate"], "1")
        result = self.mocked(devices, stamped([words((0, 0, 1000))] * 300, [10**12 + i * PERIOD for i in range(300)]), "run", "--source", "iio", "--json", "--duration", "3")
        self.assertIn("50.0 Hz", result.stderr)

    def test_trap_12_a_sensor_that_lies_about_its_unit(self):
        # At rest, 1000 counts at a scale that makes 2 g of them.
        result = self.run_lis3dh([10**12 + i * PERIOD for i in range(400)], "--duration", "6.4", counts=[(0, 0, 2046)] * 400)
        self.assertIn("lies still and measures 2.00 g instead of 1 g", result.stderr)
        self.assertEqual(result.returncode, 0)
        right = self.run_lis3dh([10**12 + i * PERIOD for i in range(400)], "--duration", "6.4", counts=[(0, 0, 1023)] * 400)
        self.assertNotIn("lies still", right.stderr)

    def test_trap_13_a_rate_that_is_a_little_off_is_told(self):
        result = self.run_lis3dh([10**12 + int(i * PERIOD / 1.04) for i in range(700)], "--duration", "10")
        self.assertIn("samples at 52.0 Hz, not 50.0 Hz", result.stderr)
        self.assertEqual(result.returncode, 0)
        self.assertAlmostEqual(self.parts(result)[1]["measured_rate"], 52, places=1)

    def test_trap_13_a_rate_that_is_far_off_is_taken(self):
        for factor, hertz in ((2, "100.0"), (0.5, "25.0")):
            with self.subTest(hertz):
                result = self.run_lis3dh([10**12 + int(i * PERIOD / factor) for i in range(900)], "--duration", "16")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn(f"samples at {hertz} Hz, not 50.0 Hz, again; it is taken at that rate", result.stderr)

    def test_trap_15_a_buffer_that_never_delivers(self):
        devices = [description("bmc150_accel", {"in_accel_scale": SCALE}, LIS3DH, raw=(0, 0, 1023))]
        begin = time.monotonic()
        result = self.mocked(devices, [], "run", "--source", "iio", "--json", "--stats", "--duration", "3.84")
        took = time.monotonic() - begin
        self.assertIn("its buffer delivers nothing; its attributes are polled meanwhile", result.stderr)
        self.assertEqual(len(self.parts(result)[0]), 2)
        self.assertLess(took - 3.84, 3.3)

    def test_trap_18_old_and_new_names_side_by_side(self):
        new = {"buffer0/enable": "0", "buffer0/length": "2", "buffer0/watermark": "1", "buffer0/in_accel_x_en": "0"}
        counts = movement(400, 1000)
        result = self.run_lis3dh([10**12 + i * PERIOD for i in range(400)], "--duration", "6.4", counts=counts, attributes=new)
        self.same_as_file(self.parts(result)[0], counts, SCALE)

    def test_a_layout_that_cannot_be_decoded_is_polled_and_told(self):
        devices = [description("strange", {"in_accel_scale": SCALE}, ["le:s12/24>>4"] * 3, raw=(0, 0, 1023))]
        found = lines(self.mocked(devices, [], "devices", "--json"))
        self.assertIn("cannot be decoded", json.dumps(found[0]["problems"]))
        result = self.mocked(devices, [], "run", "--source", "iio", "--json", "--duration", "3.84")
        self.assertIn("polled", result.stderr)
        self.assertEqual(len(lines(result)), 2)

    def test_three_chips_of_which_one_is_broken(self):
        good = [description(name, {"in_accel_scale": SCALE}, LIS3DH, number=i) for i, name in enumerate(("lis3dh", "mma8452"))]
        broken = {
            "no scale": description("broken", {}, LIS3DH, number=2),
            "no types": description("broken", {"in_accel_scale": SCALE}, ["?"] * 3, number=2),
            "empty scale": description("broken", {"in_accel_scale": ""}, LIS3DH, number=2),
            "nothing at all": "P: /devices/iio:device2\nE: SUBSYSTEM=iio\nE: DEVTYPE=iio_device\n\n",
        }
        for kind, third in broken.items():
            with self.subTest(kind):
                names = [d["name"] for d in lines(self.mocked([*good, third], None, "devices", "--json"))]
                self.assertEqual(names[:2], ["lis3dh", "mma8452"])

    def test_a_device_that_libiio_itself_refuses_is_not_taken_for_no_device(self):
        # libiio 0.24 gives up on all devices then; no kernel was seen to write such an index.
        devices = [description("lis3dh", {"in_accel_scale": SCALE}, LIS3DH).replace("in_accel_y_index=1", "in_accel_y_index=nonsense")]
        self.assertRefused(self.mocked(devices, None, "devices", "--json"), 69, "libiio cannot list", "iio:device0")


if __name__ == "__main__":
    unittest.main()
