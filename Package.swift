// swift-tools-version: 6.2
import PackageDescription

// Each floor of the house is a folder of Sources. Arrows go down only, and each target names every target that it imports.
// Tests/LayeringTests holds this file against the house plan.

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

/// `make fuzz` alone sets this: libFuzzer's harnesses, and the coverage that guides it, are nobody else's to build.
let isFuzzing = Context.environment["ANNEX_FUZZ"] != nil
let coverage: [SwiftSetting] = isFuzzing ? [.unsafeFlags(["-sanitize=fuzzer"])] : []

/// Targets that touch raw memory: every unsafe expression is marked.
let strict: [SwiftSetting] = swift + coverage + [.strictMemorySafety()]

/// Views that must not outlive what they look at, which the compiler holds. Who uses them needs no setting.
let views: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes")]

/// An extension's executable carries everything it runs, so that its sandbox needs no file but its own bundle.
let selfContained: [LinkerSetting] = isSanitized ? [] : [.unsafeFlags(["-static-executable"])]

/// A command that is there for a moment: no loader searches for libraries or adjusts addresses, and what ships is without
/// the names of functions, which nobody reads there. The libraries are parts of Foundation that a static executable does
/// not find by itself.
let startsAtOnce: [LinkerSetting] =
    isSanitized
    ? []
    : selfContained + [
        .unsafeFlags(["-use-ld=lld"]), .unsafeFlags(["-Xlinker", "-s"], .when(configuration: .release)),
        .linkedLibrary("_FoundationCShims"), .linkedLibrary("_FoundationCollections"),
    ]

// MARK: - The floors

/// The targets of one floor: the folder of each lies in the folder of its floor.
func floor(_ name: String, _ targets: [Target]) -> [Target] {
    for target in targets { target.path = "Sources/\(name)/\(target.name)" }
    return targets
}

let kernel = floor(
    "Kernel",
    [
        .target(name: "CAnnexLinux"),
        .target(name: "AnnexLinux", dependencies: ["CAnnexLinux"], swiftSettings: strict),
    ])

let channel = floor(
    "Channel",
    [
        .target(name: "AnnexMessages", swiftSettings: strict + views),
        .target(
            name: "AnnexChannel", dependencies: ["AnnexMessages", "AnnexLinux", "CAnnexLinux"],
            swiftSettings: strict + views),
        .target(
            name: "AnnexReplay", dependencies: ["AnnexChannel", "AnnexMessages", "AnnexLinux"],
            swiftSettings: strict + views),
    ])

let policy = floor(
    "Policy",
    [
        .systemLibrary(name: "CAnnexSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
        .systemLibrary(name: "CAnnexYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .target(name: "CAnnexPolicies"),
        .target(
            name: "AnnexPolicy",
            dependencies: ["CAnnexSeccomp", "CAnnexYAML", "CAnnexPolicies", "AnnexLinux", "CAnnexLinux"],
            swiftSettings: strict),
        .target(name: "AnnexShippedPolicies", dependencies: ["AnnexPolicy"], swiftSettings: strict),
        .target(name: "AnnexPolicyTools", dependencies: ["AnnexPolicy", "AnnexLinux"], swiftSettings: strict),
    ])

let sandbox = floor(
    "Sandbox",
    [
        .target(name: "AnnexWarden", exclude: ["Program"]),
        .target(
            name: "AnnexLaunch",
            dependencies: [
                "AnnexPolicy", "AnnexLinux", "CAnnexLinux", "AnnexWarden",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict, plugins: ["EmbedProgram"]),
        .target(
            name: "AnnexSupervision", dependencies: ["AnnexLaunch", "AnnexPolicy", "AnnexLinux"],
            swiftSettings: strict),
        .target(
            name: "AnnexSandbox",
            dependencies: ["AnnexSupervision", "AnnexLaunch", "AnnexPolicy", "AnnexLinux", "CAnnexLinux"],
            swiftSettings: strict),
        .target(
            name: "AnnexDoctor", dependencies: ["AnnexLaunch", "AnnexPolicy", "AnnexLinux", "CAnnexLinux"],
            swiftSettings: strict),
        .target(
            name: "AnnexAttacks",
            dependencies: [
                "AnnexSandbox", "AnnexLaunch", "AnnexPolicyTools", "AnnexPolicy", "AnnexLinux", "CAnnexLinux",
            ],
            exclude: ["Program"],
            swiftSettings: strict, plugins: ["EmbedProgram"]),
    ])

let extensions = floor(
    "Extensions",
    [
        .target(name: "AnnexModel", dependencies: ["AnnexChannel", "AnnexLinux"], swiftSettings: strict),
        .target(name: "AnnexActivation", dependencies: ["AnnexModel", "AnnexLinux"], swiftSettings: strict),
        .target(
            name: "AnnexPortal", dependencies: ["AnnexMessages", "AnnexLinux"], swiftSettings: strict),
        .target(
            name: "AnnexExtension", dependencies: ["AnnexPortal", "AnnexModel", "AnnexChannel", "AnnexLinux"],
            swiftSettings: strict),
        .target(
            name: "AnnexGroups",
            dependencies: ["AnnexPortal", "AnnexModel", "AnnexMessages", "AnnexLinux"],
            swiftSettings: strict),
        .target(
            name: "AnnexBundle", dependencies: ["AnnexActivation", "AnnexModel", "AnnexLinux"], swiftSettings: strict),
        .target(
            name: "AnnexBundling", dependencies: ["AnnexBundle", "AnnexLinux"], swiftSettings: strict),
        .target(
            name: "AnnexRegistry", dependencies: ["AnnexBundle", "AnnexModel", "AnnexPolicy"], swiftSettings: strict),
        .systemLibrary(name: "CAnnexSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .target(
            name: "AnnexSigning", dependencies: ["CAnnexSodium", "AnnexBundle", "AnnexModel", "AnnexLinux"],
            swiftSettings: strict),
        .systemLibrary(name: "CAnnexSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "AnnexPortalServer",
            dependencies: [
                "AnnexPortal", "AnnexMessages", "AnnexLinux", "CAnnexLinux", "CAnnexSQLite", "CAnnexSodium",
            ],
            swiftSettings: strict),
        .target(
            name: "AnnexApp",
            dependencies: [
                "AnnexGroups", "AnnexPortalServer", "AnnexPortal", "AnnexSigning", "AnnexBundle", "AnnexModel",
                "AnnexLinux",
            ],
            swiftSettings: strict),
    ])

let broker = floor(
    "Broker",
    [
        .target(
            name: "AnnexBrokerAPI", dependencies: ["AnnexPortal", "AnnexModel", "AnnexChannel", "AnnexLinux"],
            swiftSettings: swift),
        .target(name: "CAnnexDetached"),
        .target(
            name: "AnnexBroker",
            dependencies: [
                "AnnexBrokerAPI", "AnnexPortalServer", "AnnexPortal", "AnnexRegistry", "AnnexSigning", "AnnexBundle",
                "AnnexSupervision", "AnnexLaunch", "AnnexShippedPolicies", "AnnexPolicy", "AnnexModel", "AnnexChannel",
                "AnnexLinux", "CAnnexDetached",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: swift),
        .target(
            name: "AnnexHost",
            dependencies: ["AnnexBrokerAPI", "AnnexActivation", "AnnexModel", "AnnexChannel", "AnnexLinux"],
            swiftSettings: swift),
        .target(
            name: "AnnexEmbedded", dependencies: ["AnnexHost", "AnnexBroker", "AnnexBrokerAPI"], swiftSettings: swift),
        .target(
            name: "AnnexTesting",
            dependencies: [
                "AnnexEmbedded", "AnnexBroker", "AnnexHost", "AnnexBrokerAPI", "AnnexExtension", "AnnexBundling",
                "AnnexBundle", "AnnexModel", "AnnexChannel", "AnnexLinux",
            ],
            swiftSettings: swift),
        .target(
            name: "AnnexDaemon",
            dependencies: [
                "AnnexBroker", "AnnexBrokerAPI", "AnnexPortal", "AnnexRegistry", "AnnexSigning", "AnnexBundle",
                "AnnexModel", "AnnexChannel", "AnnexLinux", "CAnnexLinux",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: swift),
        .target(
            name: "AnnexTelemetry",
            dependencies: [
                "AnnexHost", "AnnexBrokerAPI", "AnnexModel",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: swift),
    ])

let todayViews = floor(
    "Views",
    [
        .target(
            name: "AnnexToday",
            dependencies: ["AnnexHost", "AnnexBrokerAPI", "AnnexModel", "AnnexMessages", "AnnexLinux"],
            swiftSettings: swift),
        .target(
            name: "AnnexTodayPage", dependencies: ["AnnexToday", "AnnexBrokerAPI", "AnnexModel", "AnnexLinux"],
            swiftSettings: swift),
    ])

let commands = floor(
    "Commands",
    [
        .executableTarget(
            name: "annexd",
            dependencies: [
                "AnnexDaemon", "AnnexBroker", "AnnexBrokerAPI", "AnnexModel", "AnnexLinux",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["Units"], swiftSettings: swift),
        .target(
            name: "AnnexCommand",
            dependencies: [
                "AnnexToday", "AnnexEmbedded", "AnnexBroker", "AnnexHost", "AnnexPortalServer", "AnnexGroups",
                "AnnexPortal",
                "AnnexRegistry", "AnnexSigning", "AnnexBundling",
                "AnnexBundle", "AnnexActivation", "AnnexModel", "AnnexAttacks", "AnnexDoctor",
                "AnnexSandbox", "AnnexLaunch", "AnnexShippedPolicies",
                "AnnexPolicyTools", "AnnexPolicy", "AnnexReplay", "AnnexChannel", "AnnexLinux",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
        .executableTarget(
            name: "annex", dependencies: ["AnnexCommand"], swiftSettings: swift, linkerSettings: startsAtOnce),
        .executableTarget(
            name: "annex-today",
            dependencies: [
                "AnnexCommand", "AnnexTodayPage", "AnnexToday", "AnnexHost", "AnnexPolicy", "AnnexLinux",
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swift),
    ])

/// An extension that needs only the library for extensions.
func example(_ name: String) -> Target {
    .executableTarget(
        name: name, dependencies: ["AnnexExtension"], swiftSettings: swift, linkerSettings: selfContained)
}

let examples = floor(
    "Examples",
    [
        .target(
            name: "CPicture",
            linkerSettings: [
                .linkedLibrary("png16"), .linkedLibrary("jpeg"), .linkedLibrary("z"), .linkedLibrary("m"),
            ]),
        .target(
            name: "PictureEditing", dependencies: ["CPicture"],
            swiftSettings: strict),
        .executableTarget(
            name: "PictureEditor", dependencies: ["AnnexExtension", "AnnexModel", "PictureEditing"],
            swiftSettings: swift, linkerSettings: selfContained),
        example("Shout"),
        .executableTarget(
            name: "ShoutApp", swiftSettings: swift, linkerSettings: selfContained),
        example("MyPicture"),
        example("Translate"),
        .executableTarget(name: "MyPictureApp", swiftSettings: swift, linkerSettings: selfContained),
        .executableTarget(name: "TranslateApp", swiftSettings: swift, linkerSettings: selfContained),
        .target(name: "CMisbehaver"),
        .executableTarget(
            name: "Misbehaver", dependencies: ["AnnexModel", "AnnexChannel", "AnnexLinux", "CMisbehaver"],
            swiftSettings: strict, linkerSettings: selfContained),
        .executableTarget(
            name: "ShoutHost", dependencies: ["AnnexHost", "AnnexEmbedded"]),
        example("TextThumbnail"),
        .executableTarget(
            name: "ThumbnailHost", dependencies: ["AnnexHost", "AnnexEmbedded"]),
        .target(name: "ToDoKit", dependencies: ["AnnexGroups"], swiftSettings: strict),
        .executableTarget(name: "ToDoListApp", dependencies: ["AnnexApp", "ToDoKit"], swiftSettings: swift),
        .executableTarget(
            name: "ToDoAdder", dependencies: ["AnnexExtension", "ToDoKit"], swiftSettings: swift,
            linkerSettings: selfContained),
        .executableTarget(
            name: "ToDoWidget", dependencies: ["AnnexExtension", "AnnexGroups", "ToDoKit"], swiftSettings: swift,
            linkerSettings: selfContained),
        .target(name: "WeatherKit", dependencies: ["AnnexGroups"], swiftSettings: strict),
        .executableTarget(name: "WeatherApp", dependencies: ["AnnexApp", "WeatherKit"], swiftSettings: swift),
        .executableTarget(
            name: "WeatherWidget", dependencies: ["AnnexExtension", "AnnexGroups", "WeatherKit"], swiftSettings: swift,
            linkerSettings: selfContained),
        .executableTarget(name: "NewsApp", swiftSettings: swift, linkerSettings: selfContained),
        example("NewsWidget"),
        .target(name: "LedgerKit", dependencies: ["AnnexGroups", "CAnnexSQLite"], swiftSettings: strict),
        .executableTarget(name: "LedgerApp", dependencies: ["AnnexApp", "LedgerKit"], swiftSettings: swift),
        .executableTarget(
            name: "LedgerBooker", dependencies: ["AnnexExtension", "AnnexGroups", "LedgerKit"], swiftSettings: swift,
            linkerSettings: selfContained),
        .executableTarget(
            name: "LedgerSummer", dependencies: ["AnnexExtension", "AnnexGroups", "LedgerKit"], swiftSettings: swift,
            linkerSettings: selfContained),
        .target(name: "ImageFilters", swiftSettings: swift),
        .executableTarget(
            name: "FilterEditor", dependencies: ["AnnexExtension", "ImageFilters"], swiftSettings: swift,
            linkerSettings: selfContained),
        .executableTarget(
            name: "Filters", dependencies: ["AnnexHost", "AnnexEmbedded", "ImageFilters"]),
        .executableTarget(
            name: "Silent", swiftSettings: swift, linkerSettings: selfContained),
        .executableTarget(
            name: "Pictures", swiftSettings: swift, linkerSettings: selfContained),
    ])

let plugins = floor(
    "Plugins",
    [
        .plugin(name: "EmbedProgram", capability: .buildTool()),
        // `make policies` runs this one; what it writes is part of AnnexShippedPolicies.
        .executableTarget(name: "CompilePolicies", dependencies: ["AnnexPolicy"], swiftSettings: swift),
        .plugin(
            name: "BundleApp",
            capability: .command(
                intent: .custom(verb: "bundle-app", description: "Make an app with its extensions, linked whole"),
                permissions: [.writeToPackageDirectory(reason: "the app is made in the package's folder")]),
            dependencies: ["MakeBundle"]),
        .executableTarget(
            name: "MakeBundle", dependencies: ["AnnexBundling", "AnnexRegistry", "AnnexBundle"], swiftSettings: swift),
    ])

// MARK: - Tests

/// A program that tests start, named by its conduct; the name of its folder has capitals instead of hyphens.
/// - Parameter isExtension: a static executable, as every extension is; otherwise a program like any host.
func fixture(_ name: String, _ dependencies: [Target.Dependency] = [], isExtension: Bool = true) -> Target {
    let folder = name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    return .executableTarget(
        name: name, dependencies: dependencies, path: "Tests/Fixtures/\(folder)", swiftSettings: swift,
        linkerSettings: isExtension ? selfContained : [])
}

/// What several fixtures share, or a test links itself.
func sharedFixture(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/Fixtures/\(name)", swiftSettings: swift)
}

/// What a fixture links that has a broker of its own and looks into it.
let busyHost: [Target.Dependency] = ["AnnexTestSupport", "AnnexBroker", "AnnexHost", "AnnexModel", "AnnexPolicy"]

let fixtures: [Target] = [
    .target(
        name: "AnnexTestSupport", dependencies: ["AnnexChannel", "AnnexLinux", "CSpawn"], path: "Tests/Support",
        swiftSettings: swift),
    sharedFixture("CSpawn"),
    sharedFixture("CFilterFixture"),
    sharedFixture("CHostFacts"),
    sharedFixture("CFailingCalls"),
    sharedFixture("CCrashes"),
    sharedFixture("ConformingConduct", ["AnnexChannel"]),
    sharedFixture("TypedConduct", ["AnnexChannel"]),
    fixture("runs-alone"),
    fixture("reports-its-world"),
    fixture("asks-for-much"),
    fixture("takes-much"),
    fixture("conforms", ["AnnexChannel", "ConformingConduct"]),
    fixture("echoes-raw", ["AnnexChannel"]),
    fixture("works-on", ["AnnexExtension"]),
    fixture("serves-everything", ["AnnexExtension", "AnnexChannel", "TypedConduct"]),
    fixture("stays-in-touch", ["AnnexExtension", "AnnexChannel", "TypedConduct"]),
    fixture("composes", ["AnnexExtension"]),
    fixture("shows-a-widget", ["AnnexExtension"]),
    fixture("writes-markup", ["AnnexExtension"]),
    fixture("waits-to-update", ["AnnexExtension"]),
    fixture("miscomposes", ["AnnexModel", "AnnexChannel"]),
    fixture("acts", ["AnnexExtension"]),
    fixture("edits", ["AnnexExtension"]),
    fixture("misedits", ["AnnexModel", "AnnexChannel"]),
    fixture("keeps-notes", ["AnnexExtension"]),
    fixture("shares-data", ["AnnexExtension", "AnnexGroups"]),
    fixture("coordinates-inside", ["AnnexExtension", "AnnexGroups"]),
    fixture("takes-locks", ["AnnexExtension", "AnnexGroups"]),
    fixture("keeps-a-ledger", ["AnnexExtension", "AnnexGroups", "Ledgers"]),
    fixture("keeps-a-ledger-as-app", ["AnnexApp", "Ledgers"], isExtension: false),
    sharedFixture("Ledgers", ["CAnnexSQLite"]),
    fixture("shares-as-app", ["AnnexApp"], isExtension: false),
    fixture("records-opening", ["AnnexApp"], isExtension: false),
    fixture("opens-urls", ["AnnexExtension", "AnnexGroups"]),
    fixture("writes-defaults", ["AnnexPortalServer", "AnnexPortal"], isExtension: false),
    fixture(
        "measures-today", ["AnnexEmbedded", "AnnexHost", "AnnexToday", "AnnexModel", "AnnexLinux"], isExtension: false),
    fixture(
        "measures-groups",
        [
            "AnnexEmbedded", "AnnexBrokerAPI", "AnnexHost", "AnnexGroups", "AnnexPortalServer", "AnnexPortal",
            "AnnexModel", "AnnexLinux",
            "CAnnexSQLite",
        ], isExtension: false),
    fixture(
        "coordinates-files", ["AnnexGroups", "AnnexPortalServer", "AnnexPortal", "AnnexLinux"], isExtension: false),
    fixture("loads-items", ["AnnexExtension"]),
    fixture("demands-items", ["AnnexModel", "AnnexChannel", "AnnexLinux"]),
    fixture("crashes-as-told", ["AnnexExtension", "AnnexLinux", "CCrashes"]),
    fixture("answers-all-but-one", ["AnnexModel", "AnnexChannel"]),
    fixture("scribbles-forever", ["AnnexChannel", "AnnexLinux"]),
    fixture("stops-at-a-step", ["AnnexLinux"]),
    fixture("serves-types", ["AnnexChannel", "TypedConduct"]),
    fixture("restricts-itself", isExtension: false),
    fixture("examines-itself", ["AnnexDoctor"], isExtension: false),
    fixture("holds-a-sandbox", ["AnnexTestSupport", "AnnexSandbox", "AnnexLinux"], isExtension: false),
    fixture("launches-forever", ["AnnexTestSupport", "AnnexEmbedded", "AnnexHost"], isExtension: false),
    fixture("counts-its-launches", ["AnnexTestSupport", "AnnexEmbedded", "AnnexHost"], isExtension: false),
    fixture(
        "lives-its-own-life", ["AnnexTestSupport", "AnnexEmbedded", "AnnexHost", "CHostFacts"], isExtension: false),
    fixture("connects-to-a-daemon", ["AnnexHost", "CHostFacts"], isExtension: false),
    fixture("meets-accidents", busyHost, isExtension: false),
    fixture("bears-load", busyHost, isExtension: false),
    fixture("fails-each-call", busyHost + ["CFailingCalls"], isExtension: false),
]

/// One target per target of the library; AnnexPolicyTests also tests the tools for policies, and AnnexSandboxTests the
/// launch and the doctor. No test target names an executable: a static one would make the whole test
/// bundle static. All of them are built with the tests all the same.
let tests: [Target] = [
    .testTarget(name: "LayeringTests", dependencies: ["AnnexTestSupport"], swiftSettings: swift),
    .testTarget(
        name: "AnnexLinuxTests", dependencies: ["AnnexLinux", "AnnexTestSupport"], swiftSettings: swift),
    .testTarget(
        name: "AnnexChannelTests",
        dependencies: ["AnnexReplay", "AnnexChannel", "AnnexLinux", "AnnexTestSupport", "ConformingConduct"],
        swiftSettings: swift),
    .testTarget(
        name: "AnnexPolicyTests",
        dependencies: ["AnnexPolicyTools", "AnnexPolicy", "CAnnexSeccomp", "CFilterFixture", "AnnexTestSupport"],
        swiftSettings: swift),
    .testTarget(
        name: "AnnexShippedPoliciesTests", dependencies: ["AnnexShippedPolicies", "AnnexPolicy"], swiftSettings: swift),
    .testTarget(
        name: "AnnexSandboxTests",
        dependencies: [
            "AnnexDoctor", "AnnexSandbox", "AnnexLaunch", "AnnexPolicy", "AnnexLinux", "AnnexWarden",
            "AnnexTestSupport",
            .product(name: "Logging", package: "swift-log"),
        ],
        swiftSettings: swift),
    .testTarget(
        name: "AnnexSupervisionTests",
        dependencies: ["AnnexSupervision", "AnnexLaunch", "AnnexPolicy", "AnnexLinux", "AnnexTestSupport"],
        swiftSettings: swift),
    .testTarget(
        name: "AnnexAttacksTests",
        dependencies: [
            "AnnexAttacks", "AnnexSandbox", "AnnexLaunch", "AnnexPolicyTools", "AnnexPolicy", "AnnexLinux",
            "AnnexTestSupport",
        ],
        swiftSettings: swift),
    .testTarget(
        name: "AnnexModelTests",
        dependencies: ["AnnexModel", "AnnexChannel", "AnnexLinux", "AnnexTestSupport"], swiftSettings: swift),
    .testTarget(
        name: "AnnexActivationTests",
        dependencies: ["AnnexActivation", "AnnexBundle", "AnnexModel", "AnnexTestSupport"], swiftSettings: swift),
    .testTarget(
        name: "AnnexExtensionTests",
        dependencies: ["AnnexExtension", "AnnexModel", "AnnexChannel", "AnnexLinux", "AnnexTestSupport"],
        swiftSettings: swift),
    .testTarget(
        name: "AnnexBundleTests",
        dependencies: ["AnnexBundle", "AnnexModel", "AnnexLinux", "AnnexTestSupport"], swiftSettings: swift),
    .testTarget(
        name: "AnnexRegistryTests",
        dependencies: [
            "AnnexRegistry", "AnnexBundle", "AnnexShippedPolicies", "AnnexPolicy", "AnnexModel", "AnnexLinux",
            "AnnexTestSupport",
        ], swiftSettings: swift),
    .testTarget(
        name: "AnnexPortalServerTests",
        dependencies: [
            "AnnexPortalServer", "AnnexGroups", "AnnexPortal", "AnnexModel", "AnnexMessages", "AnnexLinux",
            "CAnnexLinux",
            "CAnnexSQLite", "CFilterFixture", "AnnexTestSupport",
        ],
        swiftSettings: swift),
    .testTarget(
        name: "AnnexSigningTests",
        dependencies: ["AnnexSigning", "AnnexBundle", "AnnexLinux", "AnnexTestSupport"], swiftSettings: swift),
    .testTarget(
        name: "AnnexBundlingTests",
        dependencies: ["AnnexBundling", "AnnexBundle", "AnnexModel", "AnnexTestSupport"], swiftSettings: swift),
    .testTarget(
        name: "AnnexBrokerTests",
        dependencies: [
            "AnnexBroker", "AnnexBrokerAPI", "AnnexRegistry", "AnnexSigning", "AnnexSupervision", "AnnexLaunch",
            "AnnexPolicy", "AnnexModel", "AnnexBundle", "AnnexChannel", "AnnexLinux", "AnnexTestSupport",
        ], swiftSettings: swift),
    .testTarget(
        name: "AnnexTestingTests",
        dependencies: ["AnnexTesting", "AnnexExtension", "AnnexChannel", "AnnexHost", "AnnexTestSupport"],
        swiftSettings: swift
    ),
    .testTarget(
        name: "AnnexDaemonTests",
        dependencies: [
            "AnnexDaemon", "AnnexRegistry", "AnnexChannel", "AnnexLinux", "CFilterFixture", "AnnexTestSupport",
            .product(name: "Logging", package: "swift-log"),
        ],
        swiftSettings: swift),
    .testTarget(
        name: "AnnexHostTests",
        dependencies: [
            "AnnexHost", "AnnexBrokerAPI", "AnnexModel", "AnnexChannel", "AnnexLinux", "AnnexTestSupport",
        ],
        swiftSettings: swift),
    .testTarget(
        name: "AnnexTelemetryTests",
        dependencies: [
            "AnnexTelemetry", "AnnexHost", "AnnexEmbedded", "AnnexTestSupport",
            .product(name: "CoreMetrics", package: "swift-metrics"),
            .product(name: "MetricsTestKit", package: "swift-metrics"),
            .product(name: "Tracing", package: "swift-distributed-tracing"),
            .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        ],
        swiftSettings: swift),
    .testTarget(
        name: "AnnexTodayTests",
        dependencies: [
            "AnnexToday", "AnnexHost", "AnnexBroker", "AnnexBrokerAPI", "AnnexModel", "AnnexLinux", "AnnexTestSupport",
        ],
        swiftSettings: swift),
    .testTarget(
        name: "AnnexTodayPageTests",
        dependencies: [
            "AnnexTodayPage", "AnnexToday", "AnnexBrokerAPI", "AnnexModel", "AnnexLinux", "AnnexTestSupport",
        ],
        swiftSettings: swift),
    .testTarget(
        name: "AnnexCommandTests",
        dependencies: [
            "AnnexCommand", "AnnexToday", "AnnexSandbox", "AnnexPolicyTools", "AnnexPolicy", "AnnexBrokerAPI",
            "AnnexModel", "AnnexChannel", "AnnexLinux", "AnnexTestSupport",
        ], swiftSettings: swift),
    .testTarget(
        name: "ExamplesTests",
        dependencies: [
            "PictureEditing", "ImageFilters", "AnnexBundle", "AnnexModel", "AnnexChannel", "AnnexLinux",
            "AnnexTestSupport",
        ],
        swiftSettings: swift),
    .testTarget(
        name: "EndToEndTests",
        dependencies: [
            .product(name: "Logging", package: "swift-log"), "AnnexTestSupport", "AnnexEmbedded", "AnnexBroker",
            "AnnexDaemon", "AnnexToday", "AnnexHost", "AnnexPolicy", "AnnexModel", "AnnexBrokerAPI", "AnnexChannel",
            "AnnexLinux", "TypedConduct",
        ],
        swiftSettings: swift),
]

// MARK: - The package

let package = Package(
    name: "Annex",
    products: [
        // A host imports the first two, an extension the third; the others are useful alone.
        .library(name: "AnnexHost", targets: ["AnnexHost"]),
        .library(name: "AnnexEmbedded", targets: ["AnnexEmbedded"]),
        // Apart, since it brings two packages along.
        .library(name: "AnnexTelemetry", targets: ["AnnexTelemetry"]),
        // For the tests of hosts and extensions.
        .library(name: "AnnexTesting", targets: ["AnnexTesting"]),
        .library(name: "AnnexExtension", targets: ["AnnexExtension"]),
        // For extensions and apps that share data.
        .library(name: "AnnexGroups", targets: ["AnnexGroups"]),
        // For the app that contains them.
        .library(name: "AnnexApp", targets: ["AnnexApp"]),
        .library(name: "AnnexChannel", targets: ["AnnexChannel"]),
        .library(name: "AnnexPolicy", targets: ["AnnexPolicy", "AnnexPolicyTools", "AnnexShippedPolicies"]),
        .library(
            name: "AnnexSandbox", targets: ["AnnexSandbox", "AnnexDoctor", "AnnexPolicy", "AnnexShippedPolicies"]),
        .executable(name: "annex", targets: ["annex"]),
        .executable(name: "annexd", targets: ["annexd"]),
        .executable(name: "annex-today", targets: ["annex-today"]),
        // For authors of apps: swift package bundle-app.
        .plugin(name: "BundleApp", targets: ["BundleApp"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // For annex-today alone.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: kernel + channel + policy + sandbox + extensions + broker + todayViews + commands + examples + plugins
        + fixtures
        + tests
)

/// One harness of libFuzzer's.
func fuzzer(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .executableTarget(
        name: name, dependencies: ["FuzzSupport"] + dependencies, path: "Tests/Fuzzing/\(name)",
        swiftSettings: swift, linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])])
}

if isFuzzing {
    let fuzzers = [
        .target(name: "CLibFuzzer", path: "Tests/Fuzzing/CLibFuzzer"),
        .target(
            name: "FuzzSupport", dependencies: ["CLibFuzzer"], path: "Tests/Fuzzing/Support", swiftSettings: swift),
        fuzzer("FuzzPolicyText", "AnnexPolicy"),
        fuzzer("FuzzExpectations", "AnnexPolicyTools", "AnnexPolicy"),
        fuzzer("FuzzContainerProfile", "AnnexPolicyTools", "AnnexPolicy"),
        fuzzer("FuzzProcText", "AnnexDoctor", "AnnexLaunch"),
        fuzzer("FuzzMachineText", "AnnexDoctor", "AnnexLaunch", "AnnexLinux"),
        fuzzer("FuzzElfFile", "AnnexLaunch"),
        fuzzer("FuzzPropertyList", "AnnexBundle"),
        fuzzer("FuzzStrings", "AnnexBundle"),
        fuzzer("FuzzEntitlements", "AnnexBundle"),
        fuzzer("FuzzIcon", "AnnexBundle"),
        fuzzer("FuzzPointFile", "AnnexRegistry", "AnnexBundle", "AnnexPolicy"),
        fuzzer("FuzzPolicyFragment", "AnnexPolicy"),
        fuzzer("FuzzPredicate", "AnnexActivation", "AnnexModel"),
        fuzzer("FuzzActivationRule", "AnnexActivation", "AnnexBundle", "AnnexModel"),
        fuzzer("FuzzSeal", "AnnexSigning"),
        fuzzer("FuzzArchive", "AnnexBrokerAPI", "AnnexLinux"),
        fuzzer("FuzzMessage", "AnnexBrokerAPI", "AnnexModel", "AnnexChannel"),
        fuzzer("FuzzContentTree", "AnnexModel", "AnnexChannel"),
        fuzzer("FuzzRecording", "AnnexReplay"),
        fuzzer("FuzzReceiver", "AnnexChannel", "AnnexLinux"),
    ]
    // One build makes all of them, and nothing else.
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
