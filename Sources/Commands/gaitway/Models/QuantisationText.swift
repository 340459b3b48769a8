import NeuralNetwork
import Conversion
import Support
import Training

/// What quantising cost, in words or JSON.
enum QuantisationText {
    static func print(_ result: FloatCalibration, _ places: [QuantisationReport.Place], _ format: OutputOptions) throws(Fault) {
        try Console.print(format.json ? json(result, places).text : ([summary(result)] + table(places)).joined(separator: "\n"))
    }

    /// Where fixed point decides less as float does than is usual: whether weights of 16 bits would, or int16 between the layers.
    static func warning(
        _ result: FloatCalibration, inWideWeights wide: FloatCalibration?, inWideNumbers finer: FloatCalibration?
    ) -> String {
        let text = """
            gaitway: warning: only \(percent(result.share)) % of such rows are decided as in float; \
            \(Decimals.text(FloatCalibration.usual * 100, places: 1)) % and more is usual
            """
        if let wide, wide.share > result.share { return text + ". With --bits 16 it is \(percent(wide.share)) %." }
        if let finer, finer.share > result.share { return text + ". With --activations int16 it is \(percent(finer.share)) %." }
        return text + """
            . --report shows the layer that loses it: where its signal/noise falls, as where numbers reach much further than most of them \
            do. Limit (clamp) or normalise what that layer reads, train on with it, and export again
            """
    }

    /// What a calibration on few rows cannot know.
    static func few(_ rows: Int) -> String {
        """
        gaitway: warning: calibrated on \(rows) \(rows == 1 ? "row" : "rows"): what lies beyond their numbers will be cut off. A thousand \
        windows of several people show what there is
        """
    }

    /// What happens to larger numbers than those of the rows; nil where there is room for them, or nothing to be cut off.
    static func cutOff(_ result: FloatCalibration, isChosen: Bool) -> String? {
        guard let room = result.room, room <= 1 else { return nil }
        let isNarrow = result.network.input.type == .int8 && !isChosen && result.obstacle == nil
        return """
            gaitway: warning: between the layers numbers beyond those of these rows are cut off: other people, or a sensor worn elsewhere, \
            may be decided otherwise than in float. \(isNarrow ? "--activations int16 may have room for them; or calibrate" : "Calibrate") \
            on recordings of all that is to be decided
            """
    }

    /// What a calibration on rows of some classes cannot know; nil where there are rows of all.
    static func unseen(_ result: FloatCalibration) -> String? {
        let labels = result.network.labels, missing = labels.indices.filter { !result.seen.contains($0) }.map { labels[$0] }
        guard !missing.isEmpty, labels.count > 1 else { return nil }
        return """
            gaitway: warning: no row is decided as \(some(missing)): what numbers such rows have is not known, and may be cut off; what is \
            expected of others holds for rows like these. Calibrate on rows of all classes
            """
    }

    /// What one row does to all.
    static func outlier(_ found: OutlierRow) -> String {
        """
        gaitway: warning: row \(found.row) has \(Float(found.value)) in column \(found.column), where no other goes beyond \
        \(Float(found.usual)): the steps of the integers follow it. Leave the row out if that is a mistake
        """
    }

    /// What trees lose where columns are of different sizes.
    static func coarse(_ found: CoarseColumns) -> String {
        let some = some(found.columns.map { "\($0)" })
        return """
            gaitway: warning: all columns have steps of \(Decimals.text(found.step, places: 6)), since column \(found.widest.column) goes \
            up to \(Decimals.text(found.widest.size, places: 1)): few for what column\(found.columns.count == 1 ? "" : "s") \(some) \
            \(found.columns.count == 1 ? "shows" : "show"). Trees decide other people's rows less alike than these: learn from, \
            and give, columns that are scaled alike already (a scaler inside the file comes too late), and calibrate on rows that were not \
            learnt from
            """
    }

    /// Why weights of 16 bits were taken.
    static func widened(_ result: FloatCalibration, to wide: FloatCalibration) -> String {
        """
        gaitway: weights of 16 bits: \(percent(wide.share)) % of such rows are decided as in float, with 8 bits \
        \(percent(result.share)) %. --bits 8 makes the smaller and faster network
        """
    }

    // Of many names the first.
    private static func some(_ names: [String]) -> String {
        names.prefix(8).joined(separator: ", ") + (names.count > 8 ? ", ..." : "")
    }

    // A step, which may be very small or large.
    private static func step(_ scale: Double) -> String {
        (1e-6..<1).contains(scale) ? Decimals.text(scale, places: 9) : "\(Float(scale))"
    }

    private static func percent(_ share: Double) -> String { Decimals.text(share * 100, places: 2) }

    private static func share(_ count: Int, of all: Int) -> String { Decimals.text(count * 10_000, over: max(all * 100, 1), places: 2) }

    private static func json(_ result: FloatCalibration, _ places: [QuantisationReport.Place]) -> JSON {
        var fields: [(String, JSON)] = [
            ("rows", .integer(result.rows)), ("bits", .integer(result.network.bits)),
            ("activations", .string(result.network.input.type.rawValue)),
            ("equal", .integer(result.equal)), ("expected", .number(Decimals.text(result.expected, places: 4))),
            ("room", result.room.map { .number(Decimals.text($0, places: 0)) } ?? .null),
            ("right_in_float", result.rightInFloat.map(JSON.integer) ?? .null),
            ("right_in_fixed", result.rightInFixed.map(JSON.integer) ?? .null),
        ]
        if !places.isEmpty {
            fields.append(
                (
                    "layers",
                    .array(
                        places.map { place in
                            .object([
                                ("kind", .string(place.name)), ("shape", .string(place.shape)), ("low", number(place.range.lowerBound)),
                                ("high", number(place.range.upperBound)),
                                ("scale", .number(step(place.scale))), ("saturated", number(place.saturated)),
                                ("signal_to_noise_db", place.signalToNoise.map(number) ?? .null),
                            ])
                        })
                ))
        }
        return .object(fields)
    }

    private static func number(_ value: Double) -> JSON { .number(Decimals.text(value, places: 6)) }

    private static func summary(_ result: FloatCalibration) -> String {
        let network = result.network
        var text = "\(result.rows) rows, \(network.bits)-bit weights, \(network.input.type.rawValue) between the layers: "
        text += "fixed point decides \(share(result.equal, of: result.rows)) % of them as float does"
        text += ", \(percent(result.share)) % expected of others"
        if let float = result.rightInFloat, let fixed = result.rightInFixed {
            text += "; right: float \(share(float, of: result.rows)) %, fixed \(share(fixed, of: result.rows)) %"
        }
        if let room = result.room {
            text += room > 1 ? "; room for numbers \(Decimals.text(room, places: 0)) times as large" : "; larger numbers are cut off"
        }
        return text
    }

    private static func table(_ places: [QuantisationReport.Place]) -> [String] {
        guard !places.isEmpty else { return [] }
        return ["layer          shape        range                   scale         saturated  signal/noise"]
            + places.map { place in
                let range = "\(Decimals.text(place.range.lowerBound, places: 3)) ... \(Decimals.text(place.range.upperBound, places: 3))"
                let ratio = place.signalToNoise.map { "\(Decimals.text($0, places: 1)) dB" } ?? "exact"
                return
                    """
                    \(place.name.padded(13))  \(place.shape.padded(11))  \(range.padded(22))  \
                    \(step(place.scale).padded(12))  \
                    \("\(Decimals.text(place.saturated * 100, places: 3)) %".padded(9))  \(ratio)
                    """
            }
    }
}
