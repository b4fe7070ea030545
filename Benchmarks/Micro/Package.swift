// swift-tools-version: 6.2
import PackageDescription

// Single steps of a call, by the ecosystem's benchmark package; one of its own, for what it depends on.

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
        // By name: a clone may lie in a folder of any name.
        .package(name: "annex", path: "../.."),
        // Without traits: nothing takes the allocator's or the runtime's place.
        .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "AnnexMicro",
            dependencies: [
                // Bundles come with the embedded broker, which has no product of theirs alone.
                annex("AnnexChannel"), annex("AnnexPolicy"), annex("AnnexEmbedded"),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/AnnexMicro", swiftSettings: swift,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
    ]
)
