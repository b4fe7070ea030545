// swift-tools-version: 6.2
import PackageDescription

// Each floor of the house is a folder of Sources. Arrows go down only, and each target names every target that it
// imports. Tests/LayeringTests holds this file against the house plan.

/// `make tsan` alone sets this: a sanitizer's run-time is a library that a static executable cannot have.
let isSanitized = Context.environment["ANNEX_SANITIZE"] != nil

/// Every Swift target: Swift 6 mode and the upcoming features that make imports and existentials explicit.
let swift: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
    // A sanitized build has mutexes of its own in place of the system's, wherever those are imported.
    + [isSanitized ? .define("ANNEX_SANITIZE") : .enableUpcomingFeature("MemberImportVisibility")]

/// `make fuzz` alone sets this: libFuzzer's harnesses are nobody else's to build. With the value `guided`, all code has
/// the coverage that guides the fuzzer.
let isFuzzing = Context.environment["ANNEX_FUZZ"] != nil
let coverage: [SwiftSetting] =
    Context.environment["ANNEX_FUZZ"] == "guided" ? [.unsafeFlags(["-sanitize=fuzzer"])] : []

/// Targets that touch raw memory: every unsafe expression is marked.
let strict: [SwiftSetting] = swift + coverage + [.strictMemorySafety()]

/// Views that must not outlive what they look at, which the compiler holds. Who uses them needs no setting.
let views: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes")]

/// An extension's executable carries everything it runs, so that its sandbox needs no file but its own bundle.
let selfContained: [LinkerSetting] = isSanitized ? [] : [.unsafeFlags(["-static-executable"])]

/// A command that is there for a moment: no loader searches for libraries or adjusts addresses, and what ships is
/// without the names of functions, which nobody reads there. The libraries are parts of Foundation that a static
/// executable does not find by itself.
let startsAtOnce: [LinkerSetting] =
    isSanitized
    ? []
    : selfContained + [
        .unsafeFlags(["-use-ld=lld"]), .unsafeFlags(["-Xlinker", "-s"], .when(configuration: .release)),
        .linkedLibrary("_FoundationCShims"), .linkedLibrary("_FoundationCollections"),
    ]

// MARK: - The floors

/// The targets of one floor: the folder of each lies in the folder of its floor.
func floor(_ name: String, _ targets: Target...) -> [Target] {
    for target in targets { target.path = "Sources/\(name)/\(target.name)" }
    return targets
}

/// A library target.
func library(
    _ name: String, _ dependencies: Target.Dependency..., excluding: [String] = [], settings: [SwiftSetting] = strict,
    plugins: [Target.PluginUsage] = []
) -> Target {
    .target(name: name, dependencies: dependencies, exclude: excluding, swiftSettings: settings, plugins: plugins)
}

/// A C library of the system.
func system(_ name: String, _ pkgConfig: String, _ package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

let kernel = floor("Kernel", .target(name: "CAnnexLinux"), library("AnnexLinux", "CAnnexLinux"))

let channel = floor(
    "Channel",
    library("AnnexMessages", settings: strict + views),
    library("AnnexChannel", "AnnexMessages", "AnnexLinux", "CAnnexLinux", settings: strict + views),
    library("AnnexReplay", "AnnexChannel", "AnnexMessages", "AnnexLinux", settings: strict + views))

let policy = floor(
    "Policy",
    system("CAnnexSeccomp", "libseccomp", "libseccomp-dev"), system("CAnnexYAML", "yaml-0.1", "libyaml-dev"),
    .target(name: "CAnnexPolicies"),
    library("AnnexPolicy", "CAnnexSeccomp", "CAnnexYAML", "CAnnexPolicies", "AnnexLinux", "CAnnexLinux"),
    library("AnnexShippedPolicies", "AnnexPolicy", "AnnexMessages", "CAnnexPolicies"),
    library("AnnexPolicyTools", "AnnexPolicy", "AnnexLinux"))

let sandbox = floor(
    "Sandbox",
    .target(name: "AnnexWarden", exclude: ["Program"]),
    library("AnnexNames", "AnnexPolicy", "AnnexLinux", "CAnnexLinux"),
    library("AnnexRelay", "AnnexLinux", "CAnnexLinux"),
    library(
        "AnnexLaunch", "AnnexNames", "AnnexRelay", "AnnexPolicy", "AnnexLinux", "CAnnexLinux", "AnnexWarden", logging,
        plugins: ["EmbedProgram"]),
    library("AnnexSupervision", "AnnexLaunch", "AnnexPolicy", "AnnexLinux"),
    library(
        "AnnexSandbox", "AnnexSupervision", "AnnexLaunch", "AnnexRelay", "AnnexPolicy", "AnnexLinux", "CAnnexLinux"),
    .target(name: "CAnnexDoctor", dependencies: ["CAnnexLinux"]),
    library("AnnexDoctor", "AnnexLaunch", "AnnexPolicy", "AnnexLinux", "CAnnexDoctor"),
    library(
        "AnnexAttacks", "AnnexSandbox", "AnnexLaunch", "AnnexPolicyTools", "AnnexPolicy", "AnnexLinux", "CAnnexLinux",
        excluding: ["Program"], plugins: ["EmbedProgram"]))

let extensions = floor(
    "Extensions",
    library("AnnexModel", "AnnexChannel", "AnnexLinux"),
    library("AnnexActivation", "AnnexModel", "AnnexLinux"),
    library("AnnexTransferWire", "AnnexMessages", "AnnexLinux"),
    library("AnnexPortal", "AnnexTransferWire", "AnnexMessages", "AnnexLinux"),
    library("AnnexExtension", "AnnexPortal", "AnnexModel", "AnnexChannel", "AnnexLinux"),
    library("AnnexGroups", "AnnexPortal", "AnnexTransferWire", "AnnexModel", "AnnexMessages", "AnnexLinux"),
    library("AnnexBundle", "AnnexActivation", "AnnexModel", "AnnexLinux"),
    library("AnnexBundling", "AnnexBundle", "AnnexLinux"),
    library("AnnexRegistry", "AnnexBundle", "AnnexModel", "AnnexPolicy"),
    system("CAnnexSodium", "libsodium", "libsodium-dev"),
    library("AnnexSigning", "CAnnexSodium", "AnnexBundle", "AnnexModel", "AnnexLinux"),
    system("CAnnexSQLite", "sqlite3", "libsqlite3-dev"),
    library(
        "AnnexPortalServer", "AnnexPortal", "AnnexTransferWire", "AnnexModel", "AnnexMessages", "AnnexLinux",
        "CAnnexLinux", "CAnnexSQLite", "CAnnexSodium"),
    library(
        "AnnexApp", "AnnexGroups", "AnnexPortalServer", "AnnexPortal", "AnnexSigning", "AnnexBundle", "AnnexModel",
        "AnnexLinux"))

let broker = floor(
    "Broker",
    library("AnnexBrokerAPI", "AnnexPortal", "AnnexModel", "AnnexChannel", "AnnexLinux", settings: swift),
    .target(name: "CAnnexDetached"),
    library(
        "AnnexBroker", "AnnexBrokerAPI", "AnnexPortalServer", "AnnexPortal", "AnnexTransferWire", "AnnexRegistry",
        "AnnexSigning", "AnnexBundle", "AnnexSandbox", "AnnexSupervision", "AnnexLaunch", "AnnexNames",
        "AnnexShippedPolicies", "AnnexPolicy", "AnnexModel",
        "AnnexChannel", "AnnexLinux", "CAnnexDetached", logging, settings: swift),
    library(
        "AnnexHost", "AnnexBrokerAPI", "AnnexActivation", "AnnexModel", "AnnexChannel", "AnnexLinux", settings: swift),
    library("AnnexEmbedded", "AnnexHost", "AnnexBroker", "AnnexBrokerAPI", settings: swift),
    library(
        "AnnexTesting", "AnnexEmbedded", "AnnexBroker", "AnnexHost", "AnnexBrokerAPI", "AnnexExtension",
        "AnnexBundling", "AnnexBundle", "AnnexModel", "AnnexChannel", "AnnexLinux", settings: swift),
    library(
        "AnnexDaemon", "AnnexBroker", "AnnexBrokerAPI", "AnnexPortal", "AnnexRegistry", "AnnexSigning", "AnnexBundle",
        "AnnexModel", "AnnexChannel", "AnnexLinux", "CAnnexLinux", logging, settings: swift))

let todayViews = floor(
    "Views",
    library(
        "AnnexToday", "AnnexHost", "AnnexBrokerAPI", "AnnexModel", "AnnexMessages", "AnnexLinux", settings: swift),
    library("AnnexTodayPage", "AnnexToday", "AnnexBrokerAPI", "AnnexModel", "AnnexLinux", settings: swift))

let commands = floor(
    "Commands",
    .target(name: "CAnnexCommand"),
    .executableTarget(
        name: "annexd",
        dependencies: [
            "AnnexDaemon", "AnnexBroker", "AnnexBrokerAPI", "AnnexModel", "AnnexLinux", "CAnnexCommand", logging,
            arguments,
            .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        ], exclude: ["Units"], swiftSettings: swift),
    library(
        "AnnexCommand", "AnnexToday", "AnnexEmbedded", "AnnexBroker", "AnnexHost", "AnnexPortalServer", "AnnexGroups",
        "AnnexPortal", "AnnexRegistry", "AnnexSigning", "AnnexBundling", "AnnexBundle", "AnnexActivation", "AnnexModel",
        "AnnexAttacks", "AnnexDoctor", "AnnexSandbox", "AnnexNames", "AnnexLaunch", "AnnexShippedPolicies",
        "AnnexPolicyTools",
        "AnnexPolicy", "AnnexReplay", "AnnexChannel", "AnnexLinux", "CAnnexCommand", logging, arguments, settings: swift
    ),
    .executableTarget(
        name: "annex", dependencies: ["AnnexCommand"], swiftSettings: swift, linkerSettings: startsAtOnce),
    library(
        "AnnexTodayProgram", "AnnexCommand", "AnnexTodayPage", "AnnexToday", "AnnexHost", "AnnexPolicy", "AnnexLinux",
        arguments, settings: swift),
    library("AnnexTransferProgram", "AnnexTransferWire", "AnnexLinux", settings: strict + views))

let plugins = floor(
    "Plugins",
    .plugin(name: "EmbedProgram", capability: .buildTool()),
    // `make policies` runs this one; what it writes is part of CAnnexPolicies.
    .executableTarget(
        name: "CompilePolicies", dependencies: ["AnnexShippedPolicies", "AnnexPolicy"], swiftSettings: swift),
    .plugin(
        name: "BundleApp",
        capability: .command(
            intent: .custom(verb: "bundle-app", description: "Make an app with its extensions, linked whole"),
            permissions: [.writeToPackageDirectory(reason: "the app is made in the package's folder")])),
    // The plugin builds it like the programs of the app. As a dependency of the plugin, it and all that it imports
    // would be compiled apart from the same modules of the app, and in every build of Annex.
    .executableTarget(
        name: "MakeBundle", dependencies: ["AnnexBundling", "AnnexRegistry", "AnnexBundle"], swiftSettings: swift))

// MARK: - Tests

/// A program that tests start; the name of its folder has capitals instead of hyphens.
/// - Parameter isExtension: a static executable, as every extension is; otherwise a program like any host.
func fixture(_ name: String, _ dependencies: Target.Dependency..., isExtension: Bool = true) -> Target {
    let folder = name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    return .executableTarget(
        name: name, dependencies: dependencies, path: "Tests/Fixtures/\(folder)", swiftSettings: swift,
        linkerSettings: isExtension ? selfContained : [])
}

/// What several fixtures share, or a test links itself.
func sharedFixture(_ name: String, _ dependencies: Target.Dependency..., path: String? = nil) -> Target {
    .target(
        name: name, dependencies: dependencies, path: path ?? "Tests/Fixtures/\(name)", swiftSettings: swift)
}

let fixtures: [Target] = [
    sharedFixture("AnnexTestSupport", "AnnexChannel", "AnnexLinux", "CTestSupport", path: "Tests/Support"),
    sharedFixture("CTestSupport"), sharedFixture("CFixtures"), sharedFixture("CFailingCalls"),
    sharedFixture("Conducts", "AnnexChannel"), sharedFixture("Ledgers", "CAnnexSQLite"),
    sharedFixture(
        "TransferWorlds", "AnnexPortalServer", "AnnexPortal", "AnnexTransferWire", "AnnexLinux", "CAnnexSQLite"),
    // Three programs with many conducts each.
    fixture(
        "extension-fixture", "AnnexExtension", "AnnexGroups", "AnnexChannel", "AnnexLinux", "Conducts", "Ledgers",
        "CFixtures"),
    fixture(
        "channel-fixture", "AnnexTransferWire", "AnnexModel", "AnnexChannel", "AnnexLinux", "Conducts", "CFixtures"),
    fixture(
        "host-fixture", "AnnexToday", "AnnexEmbedded", "AnnexBroker", "AnnexBrokerAPI", "AnnexHost", "AnnexApp",
        "AnnexGroups", "AnnexTransferWire", "AnnexPortalServer", "AnnexPortal", "AnnexModel", "AnnexDoctor",
        "AnnexSandbox", "AnnexLaunch", "AnnexNames", "AnnexPolicy", "AnnexLinux", "CAnnexSQLite", "Ledgers",
        "TransferWorlds", "CFixtures", "AnnexTestSupport", isExtension: false),
    // The extensions of `annex demo` that misbehave.
    fixture("Misbehaver", "AnnexModel", "AnnexChannel", "AnnexLinux", "CFixtures"), fixture("Silent"),
    // Its system calls are counted one by one, so it links no library.
    fixture("runs-alone"),
    // Its definitions of system calls would be those of every conduct in the same program.
    fixture(
        "fails-each-call", "AnnexTestSupport", "AnnexBroker", "AnnexHost", "AnnexModel", "AnnexPolicy", "CFailingCalls",
        isExtension: false),
    // Programs in C, which a change of the library does not link again.
    fixture("reports-its-world"), fixture("asks-for-much"), fixture("takes-much"),
    fixture("restricts-itself", isExtension: false),
]

/// The tests of one target of the library, or of several. No tests name an executable: a static one would make the
/// whole test bundle static. All of them are built with the tests all the same.
func tests(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["AnnexTestSupport"], swiftSettings: swift)
}

let allTests: [Target] = [
    tests("LayeringTests"),
    tests("AnnexLinuxTests", "AnnexLinux"),
    tests("AnnexChannelTests", "AnnexReplay", "AnnexChannel", "AnnexLinux", "Conducts"),
    tests("AnnexPolicyTests", "AnnexPolicyTools", "AnnexPolicy", "CAnnexSeccomp", "CTestSupport"),
    tests("AnnexShippedPoliciesTests", "AnnexShippedPolicies", "AnnexPolicy"),
    tests("AnnexNamesTests", "AnnexNames", "AnnexPolicy", "AnnexLinux"),
    tests(
        "AnnexSandboxTests", "AnnexDoctor", "AnnexSandbox", "AnnexLaunch", "AnnexNames", "AnnexPolicy", "AnnexLinux",
        "AnnexWarden",
        logging),
    tests("AnnexSupervisionTests", "AnnexSupervision", "AnnexLaunch", "AnnexPolicy", "AnnexLinux"),
    tests(
        "AnnexAttacksTests", "AnnexAttacks", "AnnexSandbox", "AnnexLaunch", "AnnexPolicyTools", "AnnexPolicy",
        "AnnexLinux"),
    tests("AnnexModelTests", "AnnexModel", "AnnexChannel", "AnnexLinux"),
    tests("AnnexActivationTests", "AnnexActivation", "AnnexBundle", "AnnexModel"),
    tests("AnnexExtensionTests", "AnnexExtension", "AnnexModel", "AnnexChannel", "AnnexLinux"),
    tests("AnnexBundleTests", "AnnexBundle", "AnnexModel", "AnnexLinux"),
    tests(
        "AnnexRegistryTests", "AnnexRegistry", "AnnexBundle", "AnnexShippedPolicies", "AnnexPolicy", "AnnexModel",
        "AnnexLinux"),
    tests(
        "AnnexPortalServerTests", "AnnexPortalServer", "AnnexGroups", "AnnexPortal", "AnnexTransferWire", "AnnexModel",
        "AnnexMessages", "AnnexLinux", "CAnnexLinux", "CAnnexSQLite", "TransferWorlds", "CTestSupport"),
    tests("AnnexTransferWireTests", "AnnexTransferWire", "AnnexMessages", "AnnexLinux"),
    tests("AnnexTransferTests", "AnnexTransferProgram", "AnnexTransferWire", "AnnexLinux"),
    tests("AnnexSigningTests", "AnnexSigning", "AnnexBundle", "AnnexLinux"),
    tests("AnnexBundlingTests", "AnnexBundling", "AnnexBundle", "AnnexModel"),
    tests(
        "AnnexBrokerTests", "AnnexBroker", "AnnexBrokerAPI", "AnnexPortalServer", "AnnexPortal", "AnnexTransferWire",
        "TransferWorlds", "AnnexRegistry", "AnnexSigning", "AnnexSupervision",
        "AnnexLaunch", "AnnexNames", "AnnexPolicy", "AnnexModel", "AnnexBundle", "AnnexChannel", "AnnexLinux"),
    tests("AnnexTestingTests", "AnnexTesting", "AnnexExtension", "AnnexChannel", "AnnexHost"),
    tests("AnnexDaemonTests", "AnnexDaemon", "AnnexRegistry", "AnnexChannel", "AnnexLinux", "CTestSupport", logging),
    tests("AnnexHostTests", "AnnexHost", "AnnexBrokerAPI", "AnnexModel", "AnnexChannel", "AnnexLinux"),
    tests("AnnexTodayTests", "AnnexToday", "AnnexHost", "AnnexBroker", "AnnexBrokerAPI", "AnnexModel", "AnnexLinux"),
    tests("AnnexTodayPageTests", "AnnexTodayPage", "AnnexToday", "AnnexBrokerAPI", "AnnexModel", "AnnexLinux"),
    tests(
        "AnnexCommandTests", "AnnexCommand", "AnnexToday", "AnnexSandbox", "AnnexPolicyTools", "AnnexPolicy",
        "AnnexBrokerAPI", "AnnexModel", "AnnexChannel", "AnnexLinux", arguments),
    tests("ExamplesTests", "AnnexBundle", "AnnexModel", "AnnexChannel", "AnnexLinux"),
    tests(
        "EndToEndTests", "AnnexEmbedded", "AnnexBroker", "AnnexDaemon", "AnnexToday", "AnnexHost", "AnnexPolicy",
        "AnnexModel", "AnnexBrokerAPI", "AnnexChannel", "AnnexLinux", "Conducts", logging),
]

// MARK: - The package

/// A product whose targets have its name, or the names that are given.
func product(_ name: String, _ targets: String...) -> Product {
    .library(name: name, targets: targets.isEmpty ? [name] : targets)
}

let package = Package(
    name: "Annex",
    products: [
        // For hosts, for extensions, and for the tests of both.
        product("AnnexHost"), product("AnnexEmbedded"), product("AnnexExtension"), product("AnnexTesting"),
        // For extensions and apps that share data, and for the app that contains extensions.
        product("AnnexGroups"), product("AnnexApp"),
        // These are useful alone.
        product("AnnexChannel"),
        product("AnnexPolicy", "AnnexPolicy", "AnnexPolicyTools", "AnnexShippedPolicies"),
        product("AnnexSandbox", "AnnexSandbox", "AnnexDoctor", "AnnexPolicy", "AnnexShippedPolicies"),
        // For the package annex-today, which adds a server.
        product("AnnexTodayPage", "AnnexTodayPage", "AnnexTodayProgram"),
        // For the package annex-transfer, which adds an HTTP library.
        product("AnnexTransferProgram"),
        .executable(name: "annex", targets: ["annex"]), .executable(name: "annexd", targets: ["annexd"]),
        // For authors of apps: swift package bundle-app.
        .plugin(name: "BundleApp", targets: ["BundleApp"]), .executable(name: "MakeBundle", targets: ["MakeBundle"]),
    ],
    // Each of these, and each of theirs, is fetched by every program that embeds Annex: five in all.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: kernel + channel + policy + sandbox + extensions + broker + todayViews + commands + plugins + fixtures
        + allTests
)

if isFuzzing {
    // One program for all harnesses: the name by which it is called chooses one.
    let fuzzers = [
        .target(name: "CLibFuzzer", path: "Tests/Fuzzing/CLibFuzzer"),
        Target.executableTarget(
            name: "annex-fuzz",
            dependencies: [
                "CLibFuzzer", "AnnexReplay", "AnnexActivation", "AnnexSigning", "AnnexRegistry", "AnnexBundle",
                "AnnexBrokerAPI", "AnnexDoctor", "AnnexLaunch", "AnnexNames", "AnnexPolicyTools", "AnnexPolicy",
                "AnnexModel", "AnnexTransferWire", "AnnexChannel", "AnnexLinux",
            ],
            path: "Tests/Fuzzing", exclude: ["CLibFuzzer"], swiftSettings: swift + [.unsafeFlags(["-sanitize=fuzzer"])],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]),
    ]
    package.targets = fuzzers + targets(below: fuzzers, among: package.targets)
    package.products = []
}

/// The targets of this package that some targets depend on, by any number of steps. Plugins count as well.
func targets(below some: [Target], among all: [Target]) -> [Target] {
    var (names, next) = (Set<String>(), some)
    while let target = next.popLast() {
        var below: [String] = []
        for case .byNameItem(let name, _) in target.dependencies { below.append(name) }
        for case .plugin(let name, _) in target.plugins ?? [] { below.append(name) }
        for name in below where names.insert(name).inserted { next += all.filter { $0.name == name } }
    }
    return all.filter { names.contains($0.name) }
}
