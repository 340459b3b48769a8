import Gaitway

// Prints what a simulated wearer does; `.iio()` in its place takes the first accelerometer.
let source = try ActivitySource("simulated:stand=6,walk=8,lie=8")
for try await decision in Activities(source: source, model: .shipped, pace: .fastest) {
    print(decision.time, decision.activity ?? "unknown", decision.confidence)
}
