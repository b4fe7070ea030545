// swift-tools-version: 6.2
import PackageDescription

// This is a separate package, so that programs that embed Annex never fetch SwiftNIO.

let package = Package(
    name: "annex-today",
    products: [
        .executable(name: "annex-today", targets: ["annex-today"])
    ],
    dependencies: [
        // The dependency is given by name, because the folder of a clone can have any name.
        .package(name: "annex", path: "../../.."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "annex-today",
            dependencies: [
                .product(name: "AnnexTodayPage", package: "annex"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Program",
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ])
    ]
)
