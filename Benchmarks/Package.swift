// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that programs that embed Annex never resolve the dependencies of its benchmarks.

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
        // The dependency is given by name, because the folder of a clone may have any name.
        .package(name: "annex", path: ".."),
        .package(name: "bench-kit", path: "Kit"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // The harness: payloads, clock, loops. Every contender links it.
        .target(name: "CBenchDriver", path: "Driver", cSettings: [.unsafeFlags(["-O2"])]),

        // The contenders: the fastest solutions in C, and Annex's host and extension.
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
            name: "annex-bench-extension",
            dependencies: ["CBenchDriver", "BenchMessages", annex("AnnexChannel"), annex("AnnexExtension")],
            path: "Extension",
            swiftSettings: swift, linkerSettings: [.unsafeFlags(["-static-executable"])]),

        // The command that runs all contenders and judges the results.
        .executableTarget(
            name: "annex-bench",
            dependencies: [
                .product(name: "BenchKit", package: "bench-kit"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Command", swiftSettings: swift),
    ]
)
