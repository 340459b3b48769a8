internal import FoundationEssentials
internal import Support

/// Edge Impulse's data acquisition format as JSON: an interval and rows of sensors' values, in m/s2 or g.
///
/// Written unsigned ("alg": "none"), as its ingestion service takes it with an API key. Source: Edge Impulse's description of the
/// format, version v1.
enum EdgeImpulseFile {
    private static let gravity = 9.80665

    private struct File: Decodable {
        struct Payload: Decodable {
            var interval_ms: Double
            var sensors: [Sensor]
            var values: [[Double]]
        }
        struct Sensor: Decodable {
            var name: String
            var units: String?
        }
        var payload: Payload
    }

    package static func encode(_ recording: Recording) -> [UInt8] {
        let sensors = ["accX", "accY", "accZ"].map { "{\"name\":\"\($0)\",\"units\":\"m/s2\"}" }.joined(separator: ",")
        let rows = (0..<recording.count).map { row in
            let values = recording.samples[row * 3..<row * 3 + 3].map { Decimals.text(Double($0) * 0x1p-12 * gravity, places: 6) }
            return "[\(values.joined(separator: ","))]"
        }
        let interval = Decimals.text(1_000_000, over: recording.rate, places: 4)
        let payload =
            "{\"device_type\":\"GAITWAY\",\"interval_ms\":\(interval),\"sensors\":[\(sensors)],\"values\":[\(rows.joined(separator: ","))]}"
        let unsigned = String(repeating: "0", count: 64)
        return Array("{\"protected\":{\"ver\":\"v1\",\"alg\":\"none\"},\"signature\":\"\(unsigned)\",\"payload\":\(payload)}".utf8)
    }

    package static func decode(_ bytes: [UInt8], label: String, path: String) throws(Fault) -> Recording {
        func bad(_ what: String) -> Fault { Fault(.badData, "\(path) is not an acquisition of Edge Impulse: \(what)") }
        let payload: File.Payload
        do {
            payload = try JSONDecoder().decode(File.self, from: Data(bytes)).payload
        } catch {
            throw bad("its payload has no interval_ms, sensors and values, or it is cut off")
        }
        var columns: [Int] = []
        for name in ["accx", "accy", "accz"] {
            guard let column = payload.sensors.firstIndex(where: { $0.name.lowercased() == name }) else {
                throw bad("it has no sensor \(name)")
            }
            columns.append(column)
        }
        let units = payload.sensors[columns[0]].units ?? "m/s2"
        guard ["m/s2", "m/s^2", "g"].contains(units) else { throw bad("its unit is \"\(units)\", not m/s2 or g") }
        guard payload.interval_ms.isFinite, payload.interval_ms > 0, payload.values.count >= 2 else {
            throw bad("it holds fewer than two samples")
        }
        let scale = 4096 / (units == "g" ? 1 : gravity)
        var samples: [Int16] = []
        samples.reserveCapacity(payload.values.count * 3)
        for (index, row) in payload.values.enumerated() {
            guard row.count == payload.sensors.count, row.allSatisfy(\.isFinite) else {
                throw bad("its row \(index + 1) has not \(payload.sensors.count) numbers")
            }
            for column in columns { samples.append(Int16(max(-32768, min(32767, (row[column] * scale).rounded())))) }
        }
        return Recording(label: label, rate: try CSVRecording.rate(1000 / payload.interval_ms, path: path), samples: samples)
    }
}
