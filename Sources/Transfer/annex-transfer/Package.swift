// swift-tools-version: 6.2
import PackageDescription

// This is a separate package, so that only the program annex-transfer needs libcurl.

let package = Package(
    name: "annex-transfer",
    products: [
        .executable(name: "annex-transfer", targets: ["annex-transfer"])
    ],
    dependencies: [
        // The dependency is given by name, because the folder of a clone can have any name.
        .package(name: "annex", path: "../../..")
    ],
    targets: [
        .target(name: "CAnnexCurl", path: "CAnnexCurl", linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(
            name: "annex-transfer",
            dependencies: ["CAnnexCurl", .product(name: "AnnexTransferProgram", package: "annex")],
            path: "Program",
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .strictMemorySafety(),
            ],
            // The sandbox shows the libraries of the system, and none of the compiler.
            linkerSettings: [.unsafeFlags(["-static-stdlib"])]),
    ]
)
