internal import Support

/// Files that people have of their networks and that cannot be read: what to make of them instead.
enum UnreadFile {
    static func fault(_ path: String) -> Fault {
        Fault(
            .usage, "\(path) is neither a .tflite, an .onnx, a .mlmodel, a .safetensors file nor the .json of Swift-HAR or XGBoost",
            remedy: remedy(path))
    }

    private static func remedy(_ path: String) -> String {
        switch path.split(separator: ".").last.map({ $0.lowercased() }) {
        case "keras", "h5", "hdf5": "Export it with Keras: model.export(\"network.onnx\", format=\"onnx\"), or convert it to .tflite."
        case "pt", "pth": "Export it with PyTorch: torch.onnx.export(network, example, \"network.onnx\")."
        case "pkl", "pickle", "joblib": "Convert it with skl2onnx: to_onnx(model, rows[:1]) of scikit-learn's models."
        case "txt": "LightGBM's models are converted with onnxmltools: convert_lightgbm."
        case "ubj": "Save it as JSON with XGBoost: save_model(\"trees.json\")."
        case "mlpackage": "Convert it with coremltools to the older kind: convert_to=\"neuralnetwork\", and save it as .mlmodel."
        default: "The file's name says what it is; XGBoost writes .json with save_model(\"trees.json\")."
        }
    }
}
