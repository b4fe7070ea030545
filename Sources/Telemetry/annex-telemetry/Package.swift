// swift-tools-version: 6.2
import PackageDescription

// This is a separate package, so that programs without telemetry never fetch swift-metrics and swift-distributed-tracing.

let swift: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "annex-telemetry",
    products: [
        .library(name: "AnnexTelemetry", targets: ["AnnexTelemetry"])
    ],
    dependencies: [
        // The dependency is given by name, because the folder of a clone can have any name.
        .package(name: "annex", path: "../../.."),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    ],
    targets: [
        .target(
            name: "AnnexTelemetry",
            dependencies: [
                .product(name: "AnnexHost", package: "annex"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            path: "AnnexTelemetry", swiftSettings: swift),
        .executableTarget(
            name: "answers-or-exits", dependencies: [.product(name: "AnnexExtension", package: "annex")],
            path: "Tests/AnswersOrExits", swiftSettings: swift,
            linkerSettings: [.unsafeFlags(["-static-executable"])]),
        .testTarget(
            name: "AnnexTelemetryTests",
            dependencies: [
                "AnnexTelemetry",
                .product(name: "AnnexHost", package: "annex"), .product(name: "AnnexTesting", package: "annex"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            path: "Tests/AnnexTelemetryTests", swiftSettings: swift),
    ]
)
