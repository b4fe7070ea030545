// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that the examples have only what any other package gets from Annex. An app may copy its part.

let swift: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let annex: (String) -> Target.Dependency = { .product(name: $0, package: "annex") }

/// The programs and libraries of one app. Each has a folder in the folder of the app.
func app(_ name: String, _ targets: Target...) -> [Target] {
    for target in targets { target.path = "\(name)/\(target.name)" }
    return targets
}

/// An extension, or a program without a library. It carries all code that it runs, so that its sandbox needs no file but
/// its own bundle.
func whole(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, swiftSettings: swift,
        linkerSettings: [.unsafeFlags(["-static-executable"])])
}

/// A program that uses the libraries of the system: a host or an app.
func program(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: swift)
}

/// What the programs of an app share.
func kit(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: swift + [.strictMemorySafety()])
}

let package = Package(
    name: "annex-examples",
    dependencies: [
        // The dependency is given by name, because the folder of a clone can have any name.
        .package(name: "annex", path: "..")
    ],
    targets: app(
        "Shout", whole("Shout", annex("AnnexExtension")), whole("ShoutApp"),
        program("ShoutHost", annex("AnnexHost"), annex("AnnexEmbedded")))
        + app(
            "Pictures", whole("PictureEditor", annex("AnnexExtension"), "PictureEditing"), whole("Pictures"),
            kit("PictureEditing", "CPicture"),
            .target(name: "CPicture", linkerSettings: ["png16", "jpeg", "z", "m"].map { .linkedLibrary($0) }))
        + app(
            "Filters", whole("FilterEditor", annex("AnnexExtension"), "ImageFilters"),
            program("Filters", annex("AnnexHost"), annex("AnnexEmbedded"), "ImageFilters"), kit("ImageFilters"))
        + app(
            "MyPicture", whole("MyPicture", annex("AnnexExtension"), annex("AnnexGroups"), "MyPictureKit"),
            program("MyPictureApp", annex("AnnexApp"), "MyPictureKit"), kit("MyPictureKit", annex("AnnexGroups")))
        + app(
            "Podcast", whole("PodcastGetter", annex("AnnexExtension"), "PodcastKit"),
            program("PodcastApp", annex("AnnexApp"), "PodcastKit"), kit("PodcastKit", annex("AnnexGroups")))
        + app("Translate", whole("Translate", annex("AnnexExtension")), whole("TranslateApp"))
        + app(
            "Thumbnails", whole("TextThumbnail", annex("AnnexExtension")),
            program("ThumbnailHost", annex("AnnexHost"), annex("AnnexEmbedded")))
        + app(
            "ToDoList", whole("ToDoAdder", annex("AnnexExtension"), "ToDoKit"),
            whole("ToDoWidget", annex("AnnexExtension"), annex("AnnexGroups"), "ToDoKit"),
            program("ToDoListApp", annex("AnnexApp"), "ToDoKit"), kit("ToDoKit", annex("AnnexGroups")))
        + app(
            "Weather", whole("WeatherWidget", annex("AnnexExtension"), annex("AnnexGroups"), "WeatherKit"),
            program("WeatherApp", annex("AnnexApp"), "WeatherKit"), kit("WeatherKit", annex("AnnexGroups")))
        + app("News", whole("NewsWidget", annex("AnnexExtension")), whole("NewsApp"))
        + app("Feed", whole("FeedWidget", annex("AnnexExtension")), whole("FeedApp"))
        + app(
            "Ledger", whole("LedgerBooker", annex("AnnexExtension"), annex("AnnexGroups"), "LedgerKit"),
            whole("LedgerSummer", annex("AnnexExtension"), annex("AnnexGroups"), "LedgerKit"),
            program("LedgerApp", annex("AnnexApp"), "LedgerKit"),
            kit("LedgerKit", annex("AnnexGroups"), "CLedgerSQLite"),
            .systemLibrary(name: "CLedgerSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]))
        + [
            .testTarget(
                name: "EditorTests",
                dependencies: ["PictureEditing", "ImageFilters", annex("AnnexTesting"), annex("AnnexHost")],
                path: "Tests", swiftSettings: swift)
        ]
)
