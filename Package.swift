// swift-tools-version: 6.2
import PackageDescription

// The house plan: arrows go down only, and each target names every target that it imports.
// Tests/LayeringTests holds this file against that plan.

/// `make tsan` alone sets this: a sanitizer's run-time is a library that a static executable cannot have.
let isSanitized = Context.environment["ANNEX_SANITIZE"] != nil

/// Every Swift target: Swift 6 mode and the upcoming features that make imports and existentials explicit.
let swift: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
    // A sanitized build has mutexes of its own in place of the system's, wherever those are imported.
    + [isSanitized ? .define("ANNEX_SANITIZE") : .enableUpcomingFeature("MemberImportVisibility")]

/// `make fuzz` alone sets this: libFuzzer's harnesses, and the coverage that guides it, are nobody else's to build.
let isFuzzing = Context.environment["ANNEX_FUZZ"] != nil
let coverage: [SwiftSetting] = isFuzzing ? [.unsafeFlags(["-sanitize=fuzzer"])] : []

/// Targets that touch raw memory: every unsafe expression is marked.
let strict: [SwiftSetting] = swift + coverage + [.strictMemorySafety()]

/// Views that must not outlive what they look at, which the compiler holds. Who uses them needs no setting.
let views: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes")]

/// An extension's executable carries everything it runs, so that its sandbox needs no file but its own bundle.
let selfContained: [LinkerSetting] = isSanitized ? [] : [.unsafeFlags(["-static-executable"])]

/// A command that is there for a moment: no loader searches for libraries or adjusts addresses, and what ships is without
/// the names of functions, which nobody reads there. The libraries are parts of Foundation that a static executable does
/// not find by itself.
let startsAtOnce: [LinkerSetting] =
    selfContained + [
        .unsafeFlags(["-use-ld=lld"]), .unsafeFlags(["-Xlinker", "-s"], .when(configuration: .release)),
        .linkedLibrary("_FoundationCShims"), .linkedLibrary("_FoundationCollections"),
    ]

let package = Package(
    name: "Annex",
    products: [
        // A host imports the first two, an extension the third; the others are useful alone.
        .library(name: "AnnexHost", targets: ["AnnexHost"]),
        .library(name: "AnnexEmbedded", targets: ["AnnexEmbedded"]),
        // Apart, since it brings two packages along.
        .library(name: "AnnexTelemetry", targets: ["AnnexTelemetry"]),
        .library(name: "AnnexExtension", targets: ["AnnexExtension"]),
        .library(name: "AnnexChannel", targets: ["AnnexChannel"]),
        .library(name: "AnnexPolicy", targets: ["AnnexPolicy", "AnnexPolicies"]),
        .library(name: "AnnexSandbox", targets: ["AnnexSandbox", "AnnexPolicy", "AnnexPolicies"]),
        .executable(name: "annex", targets: ["annex"]),
        .executable(name: "annexd", targets: ["annexd"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Kernel
        .target(name: "CAnnexLinux"),
        .target(name: "AnnexLinux", dependencies: ["CAnnexLinux"], swiftSettings: strict),

        // Channel
        .target(name: "AnnexChannel", dependencies: ["AnnexLinux", "CAnnexLinux"], swiftSettings: strict + views),

        // Policy
        .systemLibrary(name: "CAnnexSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
        .systemLibrary(name: "CAnnexYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .target(name: "CAnnexPolicies"),
        .target(
            name: "AnnexPolicy",
            dependencies: ["CAnnexSeccomp", "CAnnexYAML", "CAnnexPolicies", "AnnexLinux", "CAnnexLinux"],
            swiftSettings: strict),
        .target(name: "AnnexPolicies", dependencies: ["AnnexPolicy"], swiftSettings: strict),

        // Sandbox
        .target(name: "AnnexWarden", exclude: ["Program"]),
        .target(
            name: "AnnexSandbox",
            dependencies: [
                "AnnexPolicy", "AnnexLinux", "CAnnexLinux", "AnnexWarden",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict, plugins: ["EmbedProgram"]),

        // Trials
        .target(
            name: "AnnexTrials", dependencies: ["AnnexSandbox", "AnnexPolicy", "AnnexLinux", "CAnnexLinux"],
            exclude: ["Program"],
            swiftSettings: strict, plugins: ["EmbedProgram"]),

        // Model
        .target(name: "AnnexModel", dependencies: ["AnnexChannel", "AnnexLinux"], swiftSettings: strict),
        .target(
            name: "AnnexExtension", dependencies: ["AnnexModel", "AnnexChannel", "AnnexLinux"], swiftSettings: strict),
        .target(name: "AnnexBundle", dependencies: ["AnnexModel", "AnnexLinux"], swiftSettings: strict),

        // Broker and host
        .target(
            name: "AnnexService", dependencies: ["AnnexModel", "AnnexChannel", "AnnexLinux"], swiftSettings: swift),
        .target(
            name: "AnnexBroker",
            dependencies: [
                "AnnexService", "AnnexBundle", "AnnexSandbox", "AnnexPolicies", "AnnexPolicy", "AnnexModel",
                "AnnexChannel", "AnnexLinux",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: swift),
        .target(
            name: "AnnexHost", dependencies: ["AnnexService", "AnnexModel", "AnnexChannel", "AnnexLinux"],
            swiftSettings: swift),
        .target(
            name: "AnnexEmbedded", dependencies: ["AnnexHost", "AnnexBroker", "AnnexService"], swiftSettings: swift),

        .target(
            name: "AnnexDaemon",
            dependencies: [
                "AnnexBroker", "AnnexService", "AnnexBundle", "AnnexModel", "AnnexChannel", "AnnexLinux", "CAnnexLinux",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: swift),

        .target(
            name: "AnnexTelemetry",
            dependencies: [
                "AnnexHost", "AnnexService", "AnnexModel",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: swift),

        // Programs
        .executableTarget(
            name: "annexd",
            dependencies: [
                "AnnexDaemon", "AnnexBroker", "AnnexService", "AnnexLinux",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["Units"], swiftSettings: swift),
        .executableTarget(
            name: "annex",
            dependencies: [
                "AnnexEmbedded", "AnnexBroker", "AnnexHost", "AnnexTrials", "AnnexSandbox", "AnnexPolicies",
                "AnnexPolicy",
                "AnnexChannel", "AnnexLinux",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift, linkerSettings: startsAtOnce),

        // Examples
        .target(
            name: "CPicture", path: "Sources/Examples/CPicture",
            linkerSettings: [
                .linkedLibrary("png16"), .linkedLibrary("jpeg"), .linkedLibrary("z"), .linkedLibrary("m"),
            ]),
        .target(
            name: "PictureEditing", dependencies: ["CPicture"], path: "Sources/Examples/PictureEditing",
            swiftSettings: strict),
        .executableTarget(
            name: "PictureEditor", dependencies: ["AnnexExtension", "AnnexModel", "PictureEditing"],
            path: "Sources/Examples/PictureEditor", swiftSettings: swift, linkerSettings: selfContained),
        .executableTarget(
            name: "Shout", dependencies: ["AnnexExtension"], path: "Sources/Examples/Shout", swiftSettings: swift,
            linkerSettings: selfContained),
        .executableTarget(
            name: "ShoutApp", path: "Sources/Examples/ShoutApp", swiftSettings: swift, linkerSettings: selfContained),
        .target(name: "CMisbehaver", path: "Sources/Examples/CMisbehaver"),
        .executableTarget(
            name: "Misbehaver", dependencies: ["AnnexModel", "AnnexChannel", "AnnexLinux", "CMisbehaver"],
            path: "Sources/Examples/Misbehaver", swiftSettings: strict, linkerSettings: selfContained),
        .executableTarget(
            name: "ShoutHost", dependencies: ["AnnexHost", "AnnexEmbedded"], path: "Sources/Examples/ShoutHost"),
        .executableTarget(
            name: "Silent", path: "Sources/Examples/Silent", swiftSettings: swift, linkerSettings: selfContained),
        .executableTarget(
            name: "Pictures", path: "Sources/Examples/Pictures", swiftSettings: swift, linkerSettings: selfContained),

        // Tools: `make policies` runs this one; what it writes is part of AnnexPolicies.
        .executableTarget(
            name: "compile-policies", dependencies: ["AnnexPolicy"], path: "Sources/Tools/CompilePolicies",
            swiftSettings: swift),

        // Build plugins
        .plugin(name: "EmbedProgram", capability: .buildTool(), path: "Sources/Plugins/EmbedProgram"),

        // Tests: support and fixtures, then one target per target of the library. No test target names an executable:
        // a static one would make the whole test bundle static. All of them are built with the tests all the same.
        .target(
            name: "AnnexTestSupport", dependencies: ["AnnexLinux"], path: "Tests/Support", swiftSettings: swift),
        .target(name: "CFilterFixture", path: "Tests/Fixtures/CFilterFixture"),
        .target(name: "CHostFacts", path: "Tests/Fixtures/CHostFacts"),
        .target(name: "CFailingCalls", path: "Tests/Fixtures/CFailingCalls"),
        .target(
            name: "ConformingConduct", dependencies: ["AnnexChannel"], path: "Tests/Fixtures/ConformingConduct",
            swiftSettings: swift),
        .executableTarget(
            name: "runs-alone", path: "Tests/Fixtures/RunsAlone", swiftSettings: swift, linkerSettings: selfContained),
        .executableTarget(
            name: "reports-its-world", path: "Tests/Fixtures/ReportsItsWorld", linkerSettings: selfContained),
        .executableTarget(
            name: "asks-for-much", path: "Tests/Fixtures/AsksForMuch", linkerSettings: selfContained),
        .executableTarget(
            name: "takes-much", path: "Tests/Fixtures/TakesMuch", linkerSettings: selfContained),
        .executableTarget(
            name: "holds-a-sandbox", dependencies: ["AnnexTestSupport", "AnnexSandbox", "AnnexLinux"],
            path: "Tests/Fixtures/HoldsASandbox", swiftSettings: swift),
        .executableTarget(
            name: "examines-itself", dependencies: ["AnnexSandbox"], path: "Tests/Fixtures/ExaminesItself",
            swiftSettings: swift),
        .executableTarget(
            name: "conforms", dependencies: ["AnnexChannel", "ConformingConduct"], path: "Tests/Fixtures/Conforms",
            swiftSettings: swift,
            linkerSettings: selfContained),
        .executableTarget(
            name: "echoes-raw", dependencies: ["AnnexChannel"], path: "Tests/Fixtures/EchoesRaw",
            swiftSettings: swift, linkerSettings: selfContained),
        .executableTarget(
            name: "works-on", dependencies: ["AnnexExtension"], path: "Tests/Fixtures/WorksOn", swiftSettings: swift,
            linkerSettings: selfContained),
        .target(name: "CCrashes", path: "Tests/Fixtures/CCrashes"),
        .executableTarget(
            name: "crashes-as-told", dependencies: ["AnnexExtension", "AnnexLinux", "CCrashes"],
            path: "Tests/Fixtures/CrashesAsTold", swiftSettings: swift, linkerSettings: selfContained),
        .executableTarget(
            name: "answers-all-but-one", dependencies: ["AnnexModel", "AnnexChannel"],
            path: "Tests/Fixtures/AnswersAllButOne", swiftSettings: swift, linkerSettings: selfContained),
        .executableTarget(
            name: "scribbles-forever", dependencies: ["AnnexChannel", "AnnexLinux"],
            path: "Tests/Fixtures/ScribblesForever", swiftSettings: swift, linkerSettings: selfContained),
        .executableTarget(
            name: "stops-at-a-step", dependencies: ["AnnexLinux"], path: "Tests/Fixtures/StopsAtAStep",
            swiftSettings: swift, linkerSettings: selfContained),
        .target(
            name: "TypedConduct", dependencies: ["AnnexChannel"], path: "Tests/Fixtures/TypedConduct",
            swiftSettings: swift),
        .executableTarget(
            name: "serves-types", dependencies: ["AnnexChannel", "TypedConduct"], path: "Tests/Fixtures/ServesTypes",
            swiftSettings: swift, linkerSettings: selfContained),
        .executableTarget(name: "restricts-itself", path: "Tests/Fixtures/RestrictsItself"),
        .executableTarget(
            name: "launches-forever", dependencies: ["AnnexTestSupport", "AnnexEmbedded", "AnnexHost"],
            path: "Tests/Fixtures/LaunchesForever", swiftSettings: swift),
        .executableTarget(
            name: "counts-its-launches", dependencies: ["AnnexTestSupport", "AnnexEmbedded", "AnnexHost"],
            path: "Tests/Fixtures/CountsItsLaunches", swiftSettings: swift),
        .executableTarget(
            name: "meets-accidents",
            dependencies: [
                "AnnexTestSupport", "AnnexBroker", "AnnexHost", "AnnexModel", "AnnexPolicy",
            ],
            path: "Tests/Fixtures/MeetsAccidents", swiftSettings: swift),
        .executableTarget(
            name: "fails-each-call",
            dependencies: [
                "AnnexTestSupport", "AnnexBroker", "AnnexHost", "AnnexModel", "AnnexPolicy", "CFailingCalls",
            ],
            path: "Tests/Fixtures/FailsEachCall", swiftSettings: swift),
        .executableTarget(
            name: "bears-load",
            dependencies: ["AnnexTestSupport", "AnnexBroker", "AnnexHost", "AnnexModel", "AnnexPolicy"],
            path: "Tests/Fixtures/BearsLoad", swiftSettings: swift),
        .executableTarget(
            name: "lives-its-own-life",
            dependencies: ["AnnexTestSupport", "AnnexEmbedded", "AnnexHost", "CHostFacts"],
            path: "Tests/Fixtures/LivesItsOwnLife", swiftSettings: swift),

        .executableTarget(
            name: "connects-to-a-daemon", dependencies: ["AnnexHost", "CHostFacts"],
            path: "Tests/Fixtures/ConnectsToADaemon", swiftSettings: swift),

        .testTarget(name: "LayeringTests", dependencies: ["AnnexTestSupport"], swiftSettings: swift),
        .testTarget(
            name: "AnnexLinuxTests", dependencies: ["AnnexLinux", "AnnexTestSupport"], swiftSettings: swift),
        .testTarget(
            name: "AnnexChannelTests",
            dependencies: ["AnnexChannel", "AnnexLinux", "AnnexTestSupport", "ConformingConduct"],
            swiftSettings: swift),
        .testTarget(
            name: "AnnexPolicyTests",
            dependencies: ["AnnexPolicy", "CAnnexSeccomp", "CFilterFixture", "AnnexTestSupport"],
            swiftSettings: swift),
        .testTarget(
            name: "AnnexPoliciesTests", dependencies: ["AnnexPolicies", "AnnexPolicy"], swiftSettings: swift),
        .testTarget(
            name: "AnnexSandboxTests",
            dependencies: [
                "AnnexSandbox", "AnnexPolicy", "AnnexLinux", "AnnexWarden", "AnnexTestSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: swift),
        .testTarget(
            name: "AnnexTrialsTests",
            dependencies: ["AnnexTrials", "AnnexSandbox", "AnnexPolicy", "AnnexLinux", "AnnexTestSupport"],
            swiftSettings: swift),
        .testTarget(
            name: "AnnexModelTests",
            dependencies: ["AnnexModel", "AnnexChannel", "AnnexLinux", "AnnexTestSupport"], swiftSettings: swift),
        .testTarget(
            name: "AnnexExtensionTests",
            dependencies: ["AnnexExtension", "AnnexModel", "AnnexChannel", "AnnexLinux", "AnnexTestSupport"],
            swiftSettings: swift),
        .testTarget(
            name: "AnnexBundleTests",
            dependencies: ["AnnexBundle", "AnnexModel", "AnnexLinux", "AnnexTestSupport"], swiftSettings: swift),
        .testTarget(
            name: "AnnexBrokerTests",
            dependencies: [
                "AnnexBroker", "AnnexBundle", "AnnexService", "AnnexSandbox", "AnnexPolicy", "AnnexModel",
                "AnnexChannel", "AnnexLinux", "AnnexTestSupport",
            ], swiftSettings: swift),
        .testTarget(
            name: "AnnexDaemonTests",
            dependencies: [
                "AnnexDaemon", "AnnexChannel", "AnnexLinux", "AnnexTestSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: swift),
        .testTarget(
            name: "AnnexHostTests",
            dependencies: [
                "AnnexHost", "AnnexService", "AnnexModel", "AnnexChannel", "AnnexLinux", "AnnexTestSupport",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "AnnexTelemetryTests",
            dependencies: [
                "AnnexTelemetry", "AnnexHost", "AnnexEmbedded", "AnnexTestSupport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: swift),
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "PictureEditing", "AnnexBundle", "AnnexModel", "AnnexChannel", "AnnexLinux", "AnnexTestSupport",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                .product(name: "Logging", package: "swift-log"), "AnnexTestSupport", "AnnexEmbedded", "AnnexBroker",
                "AnnexDaemon", "AnnexHost", "AnnexPolicy", "AnnexModel", "AnnexService", "AnnexChannel", "AnnexLinux",
                "TypedConduct",
            ],
            swiftSettings: swift),
    ]
)

/// One harness of libFuzzer's.
func fuzzer(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .executableTarget(
        name: name, dependencies: ["FuzzSupport"] + dependencies, path: "Tests/Fuzzing/\(name)",
        swiftSettings: swift, linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])])
}

if isFuzzing {
    package.targets += [
        .target(name: "CLibFuzzer", path: "Tests/Fuzzing/CLibFuzzer"),
        .target(
            name: "FuzzSupport", dependencies: ["CLibFuzzer"], path: "Tests/Fuzzing/Support", swiftSettings: swift),
        fuzzer("FuzzPolicyText", "AnnexPolicy"),
        fuzzer("FuzzExpectations", "AnnexPolicy"),
        fuzzer("FuzzContainerProfile", "AnnexPolicy"),
        fuzzer("FuzzProcText", "AnnexSandbox"),
        fuzzer("FuzzMachineText", "AnnexSandbox", "AnnexLinux"),
        fuzzer("FuzzElfFile", "AnnexSandbox"),
        fuzzer("FuzzPropertyList", "AnnexBundle"),
        fuzzer("FuzzArchive", "AnnexService", "AnnexLinux"),
        fuzzer("FuzzMessage", "AnnexService", "AnnexModel", "AnnexChannel"),
        fuzzer("FuzzRecording", "AnnexChannel"),
        fuzzer("FuzzReceiver", "AnnexChannel", "AnnexLinux"),
    ]
}
