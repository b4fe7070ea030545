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

        // Sandbox

        // Model

        // Broker and host

        // Programs

        // Examples

        // Build plugins

        // Tests
        .testTarget(name: "AnnexLinuxTests", dependencies: ["AnnexLinux"], swiftSettings: swift),
        .testTarget(name: "AnnexChannelTests", dependencies: ["AnnexChannel", "AnnexLinux"], swiftSettings: swift),
    ]
)
