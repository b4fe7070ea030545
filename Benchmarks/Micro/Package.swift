// swift-tools-version: 6.2
import PackageDescription

// Measures single steps of a call with the usual benchmark package of Swift. It is a separate package because of its
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
        // The dependency is given by name, because the folder of a clone may have any name.
        .package(name: "annex", path: "../.."),
        // The package is used without its traits, so that it does not replace the allocator or the runtime.
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
