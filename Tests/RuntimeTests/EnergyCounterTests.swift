import Support
import TestHelpers
import Testing

@testable import Runtime

@Suite struct EnergyCounterTests {
    private func write(_ files: [String: String], in root: String) throws {
        for (name, text) in files {
            let path = "\(root)/class/\(name)"
            try Files.makeDirectory(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
            try Files.write(Array("\(text)\n".utf8), to: path)
        }
    }

    @Test func packagesAreSummedAndTheirPartsAreNot() throws {
        let root = temporaryDirectory()
        try write(
            [
                "powercap/intel-rapl:0/energy_uj": "9000000", "powercap/intel-rapl:0/max_energy_range_uj": "10000000",
                "powercap/intel-rapl:0:0/energy_uj": "5", "powercap/intel-rapl:0:0/max_energy_range_uj": "10000000",
            ], in: root)
        let before = EnergyCounter.now(in: root)
        try write(["powercap/intel-rapl:0/energy_uj": "1500000", "powercap/intel-rapl:0:0/energy_uj": "500000"], in: root)
        #expect(EnergyCounter.now(in: root).joules(since: before) == 2.5, "the counter began anew")
    }

    @Test func aBatteryTellsWhatItHasLeft() throws {
        let root = temporaryDirectory()
        try write(["power_supply/bat/status": "Discharging", "power_supply/bat/energy_now": "2000000"], in: root)
        let before = EnergyCounter.now(in: root)
        try write(["power_supply/bat/energy_now": "1999000"], in: root)
        #expect(EnergyCounter.now(in: root).joules(since: before) == 3.6)
        try write(["power_supply/bat/status": "Charging"], in: root)
        #expect(EnergyCounter.now(in: root).joules(since: before) == nil)
    }

    @Test func chargeIsEnergyByItsVoltage() throws {
        let root = temporaryDirectory()
        try write(
            [
                "power_supply/b/status": "Discharging", "power_supply/b/charge_now": "1000000", "power_supply/b/voltage_now": "3700000",
            ], in: root)
        let before = EnergyCounter.now(in: root)
        try write(["power_supply/b/charge_now": "999000"], in: root)
        let joules = try #require(EnergyCounter.now(in: root).joules(since: before))
        #expect(abs(joules - 13.32) < 1e-6)
    }

    @Test func whereNothingMeasuresThereIsNone() throws {
        let root = temporaryDirectory()
        #expect(EnergyCounter.now(in: root).joules(since: EnergyCounter.now(in: root)) == nil)
        try write(
            ["powercap/intel-rapl:0/energy_uj": "-1", "power_supply/b/status": "Discharging", "power_supply/b/energy_now": "x"], in: root)
        #expect(EnergyCounter.now(in: root).joules(since: EnergyCounter.now(in: root)) == nil)
    }
}
