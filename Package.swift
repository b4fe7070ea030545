// swift-tools-version: 6.2
import PackageDescription

// The house plan: arrows go down only, and each target names every target that it imports.
// Tests/LayeringTests holds this file against that plan.

/// Every Swift target: Swift 6 mode and the upcoming features that make imports and existentials explicit.
let swift: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Targets that touch raw memory: every unsafe expression is marked.
let strict: [SwiftSetting] = swift + [.strictMemorySafety()]

/// An extension's executable carries everything it runs, so that its sandbox needs no file but its own bundle.
let selfContained: [LinkerSetting] = [.unsafeFlags(["-static-executable"])]

let package = Package(
    name: "Annex",
    products: [
        .library(name: "AnnexChannel", targets: ["AnnexChannel"]),
        .library(name: "AnnexPolicy", targets: ["AnnexPolicy"]),
    ],
    dependencies: [
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // Kernel
        .target(name: "CAnnexLinux"),
        .target(name: "AnnexLinux", dependencies: ["CAnnexLinux"], swiftSettings: strict),

        // Channel
        .target(name: "AnnexChannel", dependencies: ["AnnexLinux"], swiftSettings: strict),

        // Policy
        .systemLibrary(name: "CAnnexSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
        .target(
            name: "AnnexPolicy", dependencies: ["CAnnexSeccomp", "Yams", "AnnexLinux", "CAnnexLinux"],
            swiftSettings: strict, plugins: ["EmbedPolicies"]),

        // Sandbox
        .target(name: "AnnexWarden", exclude: ["Program"]),
        .target(
            name: "AnnexSandbox", dependencies: ["AnnexPolicy", "AnnexLinux", "CAnnexLinux", "AnnexWarden"],
            swiftSettings: strict, plugins: ["EmbedWarden"]),

        // Model
        .target(name: "AnnexModel", dependencies: ["AnnexChannel", "AnnexLinux"], swiftSettings: strict),
        .target(name: "AnnexBundle", dependencies: ["AnnexModel", "AnnexLinux"], swiftSettings: strict),

        // Broker and host

        // Programs

        // Examples

        // Build plugins
        .executableTarget(name: "embed-bytes", path: "Sources/Plugins/EmbedBytes", swiftSettings: swift),
        .plugin(
            name: "EmbedPolicies", capability: .buildTool(), dependencies: ["embed-bytes"],
            path: "Sources/Plugins/EmbedPolicies"),
        .plugin(
            name: "EmbedWarden", capability: .buildTool(), dependencies: ["embed-bytes"],
            path: "Sources/Plugins/EmbedWarden"),

        // Tests
        .testTarget(name: "AnnexPolicyTests", dependencies: ["AnnexPolicy", "AnnexLinux"], swiftSettings: swift),
        .testTarget(name: "AnnexLinuxTests", dependencies: ["AnnexLinux"], swiftSettings: swift),
        .testTarget(
            name: "AnnexModelTests", dependencies: ["AnnexModel", "AnnexChannel", "AnnexLinux"], swiftSettings: swift),
        .testTarget(
            name: "AnnexBundleTests", dependencies: ["AnnexBundle", "AnnexModel", "AnnexLinux"], swiftSettings: swift),
        .executableTarget(
            name: "reports-its-world", path: "Tests/Fixtures/ReportsItsWorld", linkerSettings: selfContained),
        .executableTarget(
            name: "holds-a-sandbox", dependencies: ["AnnexSandbox", "AnnexLinux"], path: "Tests/Fixtures/HoldsASandbox",
            swiftSettings: swift),
        .testTarget(
            name: "AnnexSandboxTests",
            dependencies: [
                "AnnexSandbox", "AnnexPolicy", "AnnexLinux", "CAnnexLinux", "AnnexWarden", "reports-its-world",
                "holds-a-sandbox",
            ],
            swiftSettings: swift),
        .testTarget(name: "LayeringTests", swiftSettings: swift),
    ]
)
