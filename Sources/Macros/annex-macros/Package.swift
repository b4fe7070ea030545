// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// This is a separate package, so that programs without macros never fetch or build swift-syntax.

let swift: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The parts of swift-syntax that the plugin uses. The compiler loads the plugin. No program links it.
let syntax: [Target.Dependency] = ["SwiftSyntax", "SwiftSyntaxBuilder", "SwiftDiagnostics", "SwiftSyntaxMacros"].map {
    .product(name: $0, package: "swift-syntax")
}

let package = Package(
    name: "annex-macros",
    products: [
        .library(name: "AnnexMacros", targets: ["AnnexMacros"])
    ],
    dependencies: [
        // The dependency is given by name, because the folder of a clone can have any name.
        .package(name: "annex", path: "../../.."),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    ],
    targets: [
        .macro(
            name: "AnnexMacrosPlugin",
            dependencies: syntax + [.product(name: "SwiftCompilerPlugin", package: "swift-syntax")],
            path: "AnnexMacrosPlugin", swiftSettings: swift),
        .target(
            name: "AnnexMacros",
            dependencies: ["AnnexMacrosPlugin", .product(name: "AnnexChannel", package: "annex")],
            path: "AnnexMacros", swiftSettings: swift),
        .testTarget(
            name: "AnnexMacrosTests",
            dependencies: syntax + [
                "AnnexMacros", "AnnexMacrosPlugin",
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
            ],
            path: "Tests/AnnexMacrosTests", swiftSettings: swift),
    ]
)
