// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors where the project's own tests build it, and never where somebody's newer compiler does. Tests see what is internal
// of these rooms alone, also when optimised: for all packages' that takes a tenth longer to build.
let strict = Context.environment["GAITWAY_STRICT"] != nil

let warnings: [SwiftSetting] = strict ? [.treatAllWarnings(as: .error), .unsafeFlags(["-enable-testing"])] : []
let swift: [SwiftSetting] =
    warnings + [.strictMemorySafety(), .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility")]

func c(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [], linking library: String? = nil) -> Target {
    // A module map's link line is not followed when cross-compiling, so the library is named here too.
    .target(
        name: name, dependencies: dependencies, path: "CSources/\(name)", exclude: exclude,
        linkerSettings: library.map { [.linkedLibrary($0)] } ?? [])
}

func room(_ name: String, _ dependencies: [Target.Dependency], embedding files: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies, resources: files.map { .embedInCode($0) }, swiftSettings: swift)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: "\(name)Tests", dependencies: [.byName(name: name)] + dependencies, swiftSettings: warnings)
}

// For boards and what is built for them: without the hub, and without the thirty packages that it needs.
let deviceOnly = Context.environment["GAITWAY_DEVICE_ONLY"] != nil

let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

let log = Target.Dependency.product(name: "Logging", package: "swift-log")

let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

let package = Package(
    name: "Gaitway",
    products: [
        .executable(name: "gaitway", targets: ["gaitway"]),
        .library(name: "Models", targets: ["Models"]),
        .library(name: "Upload", targets: ["Upload"]),
        .library(name: "Cloud", targets: ["Cloud"]),
        .library(name: "Fleet", targets: ["Fleet"]),
        .library(name: "EdgeML", targets: ["EdgeML"]),
        .library(name: "Crowd", targets: ["Crowd", "CrowdLearning"]),
        .library(name: "SwiftyForesight", targets: ["SwiftyForesight"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        c("CFixed", exclude: ["interpolation.py"]),
        c("CSignal", ["CFixed"], exclude: ["butterworth.py", "resampler.py"]),
        c("CNetwork", ["CFixed"]),
        c("CRecognition", ["CSignal", "CNetwork"]),
        .systemLibrary(name: "CLibIIO", path: "CSources/CLibIIO", pkgConfig: "libiio", providers: [.apt(["libiio-dev"])]),
        c("CIIO", ["CLibIIO"], linking: "iio"),

        c("CCurl"),
        c("CDecimals"),
        c("CTraining"),
        c("CCounter"),
        c("CMemory"),
        c("CTOML"),

        room("Support", [system, "CCounter", "CMemory"]),
        room("Sensing", ["Support", "CSignal", "CIIO", log]),
        room("Models", ["Support", "Cryptography", "CNetwork"]),
        room("Recognition", ["Support", "Models", "CSignal", "CRecognition"]),
        room("Training", ["Support", "Sensing", "Models", "Recognition", "CTraining"]),
        room("Cryptography", ["Support", .product(name: "Crypto", package: "swift-crypto")]),
        room("Transport", ["Support", "CCurl"]),
        room("Upload", ["Support", "Cryptography", "Models", "Recognition", "CDecimals", log]),
        room("Cloud", ["Support", "Cryptography", "Transport", "Models", "Upload"]),
        room("Fleet", ["Support", "Cryptography", "Transport", log]),
        room("EdgeML", ["Fleet"]),
        room("CrowdLearning", ["Support"]),
        room("CrowdModels", ["Support", "Models", "Training", "CrowdLearning"]),
        room("Crowd", ["Support", "CrowdLearning", "Transport", "Models", "Training", log]),
        room("SwiftyForesight", ["Models", "Upload", "Cloud"]),
        room("Charts", []),
        room("Agent", ["Support", "Sensing", "Models", "Recognition", "CTOML", log]),
        .executableTarget(
            name: "gaitway",
            dependencies: [
                "Support", "Sensing", "Models", "Recognition", "Training", "Agent", "Charts", "Cryptography", "Upload", "Cloud", "Fleet", "CrowdLearning", "CrowdModels", "Crowd", log,
                lifecycle, .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),

        tests("Support", []),
        tests("Sensing", ["Support"]),
        tests("Models", ["Support", "Cryptography", "PowerCut"]),
        // A disk whose power is cut, for the tests of what is kept on disks.
        .target(name: "PowerCut", dependencies: ["Support"], path: "Tests/PowerCut", swiftSettings: warnings),
        tests("Upload", ["Support", "Models", "PowerCut", log]),
        tests("Cloud", ["Support", "Cryptography", "Transport", "Models", "Upload", "SwiftyForesight"]),
        tests("Fleet", ["Support", "Transport", "EdgeML"]),
        tests("CrowdLearning", ["Support"]),
        tests("Crowd", ["Support"]),
        tests("Recognition", ["Support", "Models"]),
        tests("Training", ["Support", "Sensing", "Models", "Recognition"]),
        tests("Charts", []),
        tests("Agent", ["Support", "Sensing", "Models", "Recognition"]),
    ],
    cLanguageStandard: .gnu11,
    cxxLanguageStandard: .cxx17
)

if !deviceOnly {
    package.products += [.executable(name: "gaitway-hub", targets: ["gaitway-hub"]), .library(name: "RealtimeDatabase", targets: ["RealtimeDatabase"])]
    package.dependencies += [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ]
    package.targets += [
        c("CCrypt", linking: "crypt"),
        c("CJSON", linking: "simdjson"),
        room("JSONReading", ["Support", "CJSON"]),
        room("RealtimeDatabase", ["Support", "Cryptography", "JSONReading"]),
        room("HubStore", ["Support", "Cryptography", "CCrypt", .product(name: "GRDB", package: "GRDB.swift")]),
        room("Hub", [
            "Support", "Cryptography", "Models", "HubStore", "JSONReading", "CrowdLearning", "RealtimeDatabase", log, lifecycle, .product(name: "Hummingbird", package: "hummingbird"),
            .product(name: "HummingbirdCore", package: "hummingbird"), .product(name: "HummingbirdTLS", package: "hummingbird"),
            .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "HTTPTypes", package: "swift-http-types"),
        ], embedding: ["Page/index.html", "Page/page.css", "Page/page.js", "API/openapi.json"]),
        .executableTarget(
            name: "gaitway-hub",
            dependencies: ["Support", "Cryptography", "Models", "Training", "HubStore", "Hub", "CrowdLearning", "CrowdModels", log, .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: swift),
        tests("HubStore", ["Support"]),
        tests("JSONReading", ["Support"]),
        tests("RealtimeDatabase", ["Support"]),
    ]
}
