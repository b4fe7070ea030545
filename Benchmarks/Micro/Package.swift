// swift-tools-version: 6.2
import PackageDescription

// Measures single steps of a call with the usual benchmark package of Swift. It is a package of its own because of its
// dependencies.

let swift: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let annex: (String) -> Target.Dependency = { .product(name: $0, package: "annex") }

let package = Package(
    name: "annex-micro",
    dependencies: [
        // The dependency is given by name, because a clone may lie in a folder of any name.
        .package(name: "annex", path: "../.."),
        // Without traits, no other code replaces the allocator or the runtime.
        .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "AnnexMicro",
            dependencies: [
                // The code for bundles comes with the embedded broker, because there is no separate product for it.
                annex("AnnexChannel"), annex("AnnexPolicy"), annex("AnnexEmbedded"),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/AnnexMicro", swiftSettings: swift,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
    ]
)
