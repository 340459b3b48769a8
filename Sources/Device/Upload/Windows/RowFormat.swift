internal import NeuralNetwork
internal import Recognition
internal import Settings
internal import Support

/// A window as a row of LibraData's CSV: seconds since 1970; the features; one-hot the network's decision; one-hot the label that the
/// user set; zeros where there is none.
struct RowFormat {
    let content: SettingValues.Content
    let model: RecordedModel

    func write(_ window: RecordedWindow, label: Int?, _ text: inout CSVText) {
        text.append(Double(window.time) / 1000)
        for value in features(window.samples) { text.append(q12: value) }
        for place in [window.decision, label] { for index in model.labels.indices { text.append(q12: index == place ? 4096 : 0) } }
        text.endRow(hasLabels: true)
    }

    private func features(_ samples: [Int16]) -> [Int16] {
        switch content {
        case .raw: samples
        case .features17: WindowInput.row(samples, .features17)
        case .features80: WindowInput.row(samples, .features80)
        }
    }

    /// What the columns are, for the file's row of metadata.
    var attributes: FileAttributes {
        let window = "\(model.window) samples at 50 Hz, every \(model.hop)"
        return FileAttributes(metadata: [
            RowKey.field(1): "time,\(content.rawValue),decision,label", RowKey.field(2): model.labels.joined(separator: ","),
            RowKey.field(3): window, RowKey.field(4): "\(model.version)",
        ])
    }
}
