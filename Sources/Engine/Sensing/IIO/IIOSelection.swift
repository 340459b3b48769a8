internal import Support

/// Which accelerometer a user means, and how to know it again when it comes back under another number.
struct IIOSelection {
    /// As the user named it: name, label, id or number; nil for the first.
    let device: String?
    /// That it is asked for, mHz and g.
    var rate = SamplingRates.usual, range = 0
    /// Another program set its range meanwhile, and keeps it.
    var keepsRange = false
    /// The one that was found first.
    private(set) var known: Accelerometer?
    /// Where other chips of its name sit: none of them is the known one in a new place.
    private var others: Set<String> = []
    /// At what its samples come, where that is far from what its driver says; both in mHz.
    var measured: (rate: Int, announced: Int)?

    init(device: String?, rate: Int = SamplingRates.usual, range: Int = 0) { (self.device, self.rate, self.range) = (device, rate, range) }

    func index(in found: [Accelerometer]) -> Int? {
        guard let known else {
            guard let device else { return found.isEmpty ? nil : 0 }
            return found.firstIndex { $0.isCalled(device) }
        }
        let alike = found.indices.filter { found[$0].isLike(known) }, there = alike.filter { found[$0].parent == known.parent }
        return there.first { found[$0].id == known.id } ?? there.first ?? alike.first { !others.contains(found[$0].parent) }
    }

    /// From now on that one is meant.
    mutating func know(_ accelerometer: Accelerometer, among offered: [Accelerometer]) {
        known = accelerometer
        others.formUnion(offered.filter { $0.isLike(accelerometer) && $0.id != accelerometer.id }.map(\.parent))
        others.remove(accelerometer.parent)
    }

    /// Samples a second of a device that announces `rate`, mHz.
    func rate(announced rate: Int) -> Int {
        guard let measured, measured.announced == rate else { return rate }
        return measured.rate
    }

    func nothingFound(_ found: [Accelerometer]) -> Fault {
        guard let device, !found.isEmpty else {
            return Fault(
                .sensorUnavailable, device.map { "no accelerometer \"\($0)\": IIO has none" } ?? "IIO has no accelerometer",
                remedy: "Is the sensor's driver loaded? `gaitway doctor` says more; `--source simulated` plays a simulated wearer.")
        }
        let names = found.map(\.title).joined(separator: ", ")
        return Fault(.sensorUnavailable, "no accelerometer \"\(device)\"", remedy: "There are: \(names).")
    }
}

extension Accelerometer {
    /// Of the same kind, wherever it sits.
    fileprivate func isLike(_ other: Accelerometer) -> Bool { name == other.name && label == other.label }
}
