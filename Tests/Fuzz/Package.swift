// swift-tools-version: 6.2
import PackageDescription

// Built by Tests/Fuzz/run, which adds libFuzzer.
let package = Package(
    name: "Fuzz",
    dependencies: [.package(name: "Gaitway", path: "../..")],
    targets: [.executableTarget(name: "fuzz-models", dependencies: [.product(name: "Models", package: "Gaitway")])]
)
