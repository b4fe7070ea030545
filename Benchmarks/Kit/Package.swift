// swift-tools-version: 6.2
import PackageDescription

// The code that runs contenders, judges results and draws pictures. It is a separate package, so that its tests build
// no part of Annex.

let swift: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let histogram: Target.Dependency = .product(name: "Histogram", package: "hdrhistogram-swift")

let package = Package(
    name: "bench-kit",
    products: [.library(name: "BenchKit", targets: ["BenchKit"])],
    dependencies: [.package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0")],
    targets: [
        .target(name: "BenchKit", dependencies: [histogram], swiftSettings: swift),
        .testTarget(name: "BenchKitTests", dependencies: ["BenchKit", histogram], swiftSettings: swift),
    ]
)
