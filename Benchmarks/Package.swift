// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that who embeds Annex never resolves what only its benchmarks need.

let swift: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let annex: (String) -> Target.Dependency = { .product(name: $0, package: "annex") }

let package = Package(
    name: "annex-benchmarks",
    products: [
        .executable(name: "annex-bench", targets: ["annex-bench"])
    ],
    dependencies: [
        // By name: a clone may lie in a folder of any name.
        .package(name: "annex", path: ".."),
        .package(name: "bench-kit", path: "Kit"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // The harness: payloads, clock, loops. Every contender is linked to it.
        .target(name: "CBenchDriver", path: "Driver", cSettings: [.unsafeFlags(["-O2"])]),

        // Contenders: C at its best; ours, host and extension.
        .executableTarget(
            name: "annex-bench-floors", dependencies: ["CBenchDriver"], path: "Floors",
            cSettings: [.unsafeFlags(["-O2"])]),
        .target(
            name: "BenchMessages", dependencies: [annex("AnnexChannel")], path: "Messages", swiftSettings: swift),
        .executableTarget(
            name: "annex-bench-host",
            dependencies: [
                "CBenchDriver", "BenchMessages", annex("AnnexChannel"), annex("AnnexHost"), annex("AnnexEmbedded"),
            ],
            path: "Host", swiftSettings: swift),
        .executableTarget(
            name: "annex-bench-extension", dependencies: ["CBenchDriver", "BenchMessages", annex("AnnexChannel")],
            path: "Extension",
            swiftSettings: swift, linkerSettings: [.unsafeFlags(["-static-executable"])]),

        // Who runs them all and says what it means.
        .executableTarget(
            name: "annex-bench",
            dependencies: [
                .product(name: "BenchKit", package: "bench-kit"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Command", swiftSettings: swift),
    ]
)
