// swift-tools-version: 6.2
import PackageDescription

// Built by Tests/Fuzz/run, which adds libFuzzer.
let package = Package(
    name: "Fuzz",
    dependencies: [.package(name: "Gaitway", path: "../..")],
    targets: [
        .target(name: "Driver"),
        .executableTarget(name: "fuzz-models", dependencies: ["Driver", .product(name: "Models", package: "Gaitway")]),
        .executableTarget(name: "fuzz-uploads", dependencies: ["Driver", .product(name: "Upload", package: "Gaitway"), .product(name: "Cloud", package: "Gaitway"), .product(name: "Fleet", package: "Gaitway")]),
        .executableTarget(name: "fuzz-crowd", dependencies: ["Driver", .product(name: "Crowd", package: "Gaitway"), .product(name: "RealtimeDatabase", package: "Gaitway")]),
    ]
)
