// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors where the project's own tests build it, and never where somebody's newer compiler does. Tests see what is internal
// of these targets alone, also when optimised: for all packages' that takes a tenth longer to build.
let strict = Context.environment["GAITWAY_STRICT"] != nil

let warnings: [SwiftSetting] = strict ? [.treatAllWarnings(as: .error), .unsafeFlags(["-enable-testing"])] : []
let swift: [SwiftSetting] =
    warnings + [
        .strictMemorySafety(), .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
    ]

// For boards and what is built for them: without the hub, and without the thirty packages that it needs.
let deviceOnly = Context.environment["GAITWAY_DEVICE_ONLY"].map { !$0.isEmpty } ?? false

func c(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [], linking library: String? = nil) -> Target {
    // A module map's link line is not followed when cross-compiling, so the library is named here too.
    .target(
        name: name, dependencies: dependencies, path: "CSources/\(name)", exclude: exclude,
        // On 32 bits: a directory's entries and files of 64-bit file systems.
        cSettings: [.define("_FILE_OFFSET_BITS", to: "64")],
        linkerSettings: library.map { [.linkedLibrary($0)] } ?? [])
}

/// A target of one of the floors, in Sources/FLOOR/NAME.
struct Floor {
    let name: String

    func callAsFunction(_ target: String, _ dependencies: [Target.Dependency], embedding files: [String] = []) -> Target {
        .target(
            name: target, dependencies: dependencies, path: "Sources/\(name)/\(target)", resources: files.map { .embedInCode($0) },
            swiftSettings: swift)
    }

    func executable(_ target: String, _ dependencies: [Target.Dependency]) -> Target {
        .executableTarget(name: target, dependencies: dependencies, path: "Sources/\(name)/\(target)", swiftSettings: swift)
    }
}

let base = Floor(name: "Base"), engine = Floor(name: "Engine"), shared = Floor(name: "Protocol"), workbench = Floor(name: "Workbench")
let device = Floor(name: "Device"), server = Floor(name: "Server"), compatibility = Floor(name: "Compatibility"),
    commands = Floor(name: "Commands")

func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(name: "\(name)Tests", dependencies: [.byName(name: name)] + dependencies, swiftSettings: warnings)
}

let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "Gaitway",
    products: [
        .executable(name: "gaitway", targets: ["gaitway"]),
        .library(name: "Gaitway", targets: ["Gaitway"]),
        .library(name: "SwiftyForesight", targets: ["SwiftyForesight"]),
        .library(name: "EdgeML", targets: ["EdgeML"]),
        .library(name: "SwiftHAR", targets: ["SwiftHAR"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: [
        // The core in C: integers only.
        c("CFixed", exclude: ["interpolation.py", "logarithm.py"]),
        c("CSignal", ["CFixed"], exclude: ["butterworth.py", "resampler.py"]),
        c("CFeatures", ["CSignal"], exclude: ["fft.py"]),
        c("CNetwork", ["CFixed"]),
        c("CRecognition", ["CFeatures", "CNetwork"]),
        c("CIIO", ["CLibIIO"], linking: "iio"),
        // What Swift asks of the system in C, and shims of libraries.
        c("CProcess"),
        c("CNumberText"),
        c("CTraining"),
        c("CCurl"),
        c("CTOML"),
        c("CMosquitto"),
        .systemLibrary(name: "CLibIIO", path: "CSources/CLibIIO", pkgConfig: "libiio", providers: [.apt(["libiio-dev"])]),

        base("Support", [system, "CProcess"]),
        base("Cryptography", ["Support", system, .product(name: "Crypto", package: "swift-crypto")]),
        base("Transport", ["Support", "CCurl"]),
        base("MQTT", ["Support", "CMosquitto"]),

        engine("NeuralNetwork", ["Support", "Cryptography", "CNetwork"]),
        engine("Sensing", ["Support", "CSignal", "CIIO", log]),
        engine(
            "Recognition", ["Support", "NeuralNetwork", "Sensing", "CSignal", "CRecognition"], embedding: ["falls.safetensors"]),
        engine(
            "Gaitway", ["Support", "Cryptography", "NeuralNetwork", "Sensing", "Recognition"], embedding: ["activity.safetensors"]),

        shared("HubProtocol", ["Support", "Cryptography"]),
        shared("CrowdLearning", ["Support"]),
        shared("WeightFiles", ["Support"]),

        workbench("Conversion", ["Support", "NeuralNetwork"]),
        workbench("Evaluation", ["Support", "NeuralNetwork", "Sensing", "Recognition", "Charts"]),
        workbench("Charts", ["Support"]),
        workbench("Training", ["Support", "NeuralNetwork", "Sensing", "Recognition", "Conversion", "Evaluation", "Charts", "CTraining"]),
        workbench("CrowdModels", ["Support", "NeuralNetwork", "Sensing", "CrowdLearning", "Conversion", "Training"]),

        device("Settings", ["Support", "Sensing", "Recognition", "CTOML"]),
        device("Ledger", ["Support"]),
        device("Setup", ["Support", "Settings", subprocess, system]),
        device("ModelStore", ["Support", "Cryptography", "NeuralNetwork"]),
        device("Upload", ["Support", "Cryptography", "Recognition", "NeuralNetwork", "Settings", "Ledger", "CNumberText", log, lifecycle]),
        device("ObjectStores", ["Support", "Cryptography", "Transport", "NeuralNetwork", "Settings", "Upload"]),
        device("History", ["Support", "HubProtocol", "Charts", log]),
        device("Doors", ["Support", "MQTT", "HubProtocol", "Settings", "Ledger", log]),
        device("Fleet", ["Support", "Cryptography", "Transport", "HubProtocol", "Ledger", log, lifecycle]),
        device(
            "Updates",
            [
                "Support", "Cryptography", "Transport", "NeuralNetwork", "Recognition", "Gaitway", "HubProtocol", "Settings", "ModelStore",
                "Upload", "ObjectStores", "Fleet", log, lifecycle,
            ]),
        device(
            "ProgramUpdates",
            [
                "Support", "Cryptography", "NeuralNetwork", "HubProtocol", "Settings", "ModelStore", "Fleet", "Updates", log, lifecycle,
                system,
                subprocess,
            ]),
        device("Crowd", ["Support", "Transport", "CrowdLearning", "Settings", "Fleet", log]),
        device(
            "Runtime",
            [
                "Support", "CProcess", "Cryptography", "NeuralNetwork", "Sensing", "Recognition", "HubProtocol", "Settings", "ModelStore",
                "Upload", "ObjectStores", "Fleet", "Updates", "ProgramUpdates", "Crowd", "CrowdLearning", "History", "Doors", "Ledger", log,
                lifecycle, system,
                subprocess,
            ]),

        compatibility("SwiftyForesight", ["Support", "NeuralNetwork", "Conversion", "Transport", "Upload", "ObjectStores", "Updates"]),
        compatibility("EdgeML", ["Support", "HubProtocol", "Fleet"]),
        compatibility("SwiftHAR", ["Support", "Conversion", "Training"]),

        commands.executable(
            "gaitway",
            [
                "Support", "Cryptography", "HubProtocol", "NeuralNetwork", "Sensing", "Recognition", "CrowdLearning", "Conversion",
                "Evaluation", "Charts",
                "Training", "CrowdModels",
                "Settings", "Setup", "ModelStore", "Ledger", "Upload", "ObjectStores", "Fleet", "Updates", "ProgramUpdates", "Crowd",
                "History",
                "Doors", "Runtime",
                log,
                arguments,
            ]),

        // A disk whose power is cut, a server that answers as told, a small network: what several tests need.
        .target(
            name: "TestHelpers", dependencies: ["Support", "NeuralNetwork", "Sensing", "Conversion", "Upload", log], path: "Tests/Helpers",
            swiftSettings: warnings),
        tests("Support"),
        tests("Transport", ["Support", "TestHelpers"]),
        tests("NeuralNetwork", ["Support", "Cryptography", "TestHelpers"]),
        tests("Sensing", ["Support", "TestHelpers"]),
        tests("Gaitway"),
        // What the manual shows: built with the tests.
        .executableTarget(
            name: "example-activities", dependencies: ["Gaitway"], path: "Tests/Examples/Activities", swiftSettings: warnings),
        tests("Recognition", ["Support", "NeuralNetwork", "Sensing", "CFeatures", "TestHelpers"]),
        tests("CrowdLearning", ["Support"]),
        tests("Conversion", ["Support", "NeuralNetwork", "TestHelpers"]),
        tests("Charts"),
        tests("Training", ["Support", "Sensing", "NeuralNetwork", "Recognition", "Conversion", "Evaluation", "TestHelpers"]),
        tests("Settings", ["Support"]),
        tests("Setup", ["Support", "Settings"]),
        tests("ModelStore", ["Support", "Cryptography", "NeuralNetwork", "TestHelpers"]),
        tests("Ledger", ["Support", "TestHelpers"]),
        tests("Upload", ["Support", "Cryptography", "Settings", "Ledger", "TestHelpers", log]),
        tests("ObjectStores", ["Support", "Cryptography", "Transport", "Upload", "TestHelpers"]),
        tests("HubProtocol", ["Support", "Cryptography", "TestHelpers"]),
        tests("Doors", ["Support", "HubProtocol", "Settings"]),
        tests("History", ["Support", "HubProtocol", "TestHelpers"]),
        tests("WeightFiles", ["Support"]),
        tests("Fleet", ["Support", "Transport", "HubProtocol", "TestHelpers", log]),
        tests(
            "Updates",
            [
                "Support", "Cryptography", "NeuralNetwork", "Sensing", "Recognition", "HubProtocol", "ModelStore", "Settings",
                "TestHelpers", log,
            ]),
        tests(
            "ProgramUpdates",
            ["Support", "Cryptography", "NeuralNetwork", "HubProtocol", "ModelStore", "Updates", "Settings", "TestHelpers", log]),
        tests("Crowd", ["Support", "CrowdLearning", "Settings", "TestHelpers", log]),
        tests(
            "Runtime",
            ["Support", "HubProtocol", "Settings", "NeuralNetwork", "Sensing", "Recognition", "Ledger", "Upload", "TestHelpers", log]),
        tests(
            "SwiftyForesight",
            ["Support", "Cryptography", "Transport", "NeuralNetwork", "Conversion", "Upload", "ObjectStores", "Updates", "TestHelpers"]),
        tests("EdgeML", ["Support", "Fleet", "TestHelpers"]),
        tests("SwiftHAR"),
    ],
    cLanguageStandard: .gnu11,
    cxxLanguageStandard: .cxx17
)

if !deviceOnly {
    package.products += [
        .executable(name: "gaitway-hub", targets: ["gaitway-hub"]),
        .executable(name: "gaitway-dashboard", targets: ["gaitway-dashboard"]),
    ]
    package.dependencies += [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ]
    package.targets += [
        // What both servers share.
        base(
            "Serving",
            [
                "Support", "Cryptography", log, .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"), .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        device(
            "Dashboard",
            [
                "Support", "Cryptography", "Serving", "Runtime", log, lifecycle, system,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"), subprocess,
            ],
            embedding: [
                "index.html", "page.css", "page.js", "trace.js", "day.js", "model.js", "privacy.js", "training.js",
            ].map { "Page/\($0)" }),
        commands.executable("gaitway-dashboard", ["Support", "Serving", "Dashboard", log, arguments]),
        c("CCrypt", linking: "crypt"),
        c("CJSON", linking: "simdjson"),
        server("JSONReading", ["Support", "CJSON"]),
        server("RealtimeDatabase", ["Support", "Cryptography", "JSONReading"]),
        .systemLibrary(name: "CPostgres", path: "CSources/CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CQRCode", path: "CSources/CQRCode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        server("HubDatabase", ["Support", "Cryptography", "CPostgres", .product(name: "GRDB", package: "GRDB.swift")]),
        server("HubStore", ["Support", "Cryptography", "HubProtocol", "WeightFiles", "JSONReading", "HubDatabase", "CCrypt"]),
        server("CrowdServer", ["Support", "CrowdLearning", "RealtimeDatabase", "HubStore", log]),
        server(
            "Hub",
            [
                "Support", "Cryptography", "NeuralNetwork", "Transport", "MQTT", "HubProtocol", "CrowdLearning", "WeightFiles",
                "Conversion",
                "JSONReading", "RealtimeDatabase", "HubStore", "CrowdServer", "Serving", "CQRCode", log, lifecycle, subprocess,
                .product(name: "Hummingbird", package: "hummingbird"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            embedding: [
                "Page/index.html", "Page/page.css", "Page/page.js", "Page/boards.js", "Page/board.js", "Page/charts.js",
                "Page/models.js", "Page/rollouts.js", "Page/crowd.js",
                "API/openapi.json",
            ]),
        commands.executable(
            "gaitway-hub",
            [
                "Support", "Cryptography", "NeuralNetwork", "Sensing", "CrowdLearning", "Conversion", "Training", "CrowdModels", "Upload",
                "ObjectStores", "HubStore", "CrowdServer",
                "Serving", "Hub", log, arguments,
            ]),
        tests("JSONReading", ["Support"]),
        tests("RealtimeDatabase", ["Support"]),
        tests("CrowdServer", ["Support", "CrowdLearning"]),
        tests("Hub", ["Support"]),
        tests("HubStore", ["Support", "HubProtocol", "WeightFiles", "HubDatabase", .product(name: "GRDB", package: "GRDB.swift")]),
    ]
}

// Tests/Fuzz/run alone builds these, with libFuzzer.
if Context.environment["GAITWAY_FUZZERS"] != nil {
    func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
        .executableTarget(name: name, dependencies: ["FuzzDriver"] + dependencies, path: "Tests/Fuzz/\(name)")
    }
    package.targets += [
        .target(name: "FuzzDriver", path: "Tests/Fuzz/Driver"),
        fuzzer("fuzz-models", ["Support", "Cryptography", "NeuralNetwork", "Recognition", "Sensing", "Conversion", "ModelStore"]),
        fuzzer(
            "fuzz-uploads",
            [
                "Support", "Cryptography", "Transport", "HubProtocol", "Upload", "ObjectStores", "Fleet", "Updates", "History",
                "SwiftyForesight",
            ]),
        fuzzer(
            "fuzz-crowd", ["Support", "HubProtocol", "WeightFiles", "CrowdLearning", "Crowd", "RealtimeDatabase", "CrowdServer"]),
    ]
}
