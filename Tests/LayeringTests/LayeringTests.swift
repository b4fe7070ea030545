import Foundation
import Testing

/// Compares `Package.swift` and the sources with the house plan.
@Suite struct LayeringTests {
    @Test func `the package has exactly the targets, folders and arrows of the house plan`() async throws {
        let built = try await PackageDump.load().targets.filter(\.isOfTheLibrary)
        #expect(Set(built.map(\.name)) == Set(HousePlan.targets.keys))
        for target in built {
            guard let (planned, _) = HousePlan.targets[target.name] else { continue }
            let wanted = planned.imports.union(planned.products)
            #expect(target.dependencies == wanted, "\(target.name) imports \(target.dependencies.sorted())")
            #expect(target.path == HousePlan.folder(of: target.name))
        }
    }

    /// The tools that compile policies and make apps are outside the house, but they use it.
    @Test func `a target imports from its own floor and from those below`() throws {
        var below: Set<String> = []
        for floor in HousePlan.floors {
            below.formUnion(floor.targets.map(\.name))
            for target in floor.targets where !["CompilePolicies", "MakeBundle"].contains(target.name) {
                let above = target.imports.subtracting(below)
                #expect(above.isEmpty, "\(target.name) on the floor \(floor.name) imports \(above.sorted()) from above")
            }
        }
    }

    @Test func `Sources has no folder that the house plan lacks`() throws {
        let sources = SourceTree.root.appending(path: "Sources")
        let floors = try SourceTree.folders(in: sources)
        #expect(Set(floors) == Set(HousePlan.floors.map(\.name) + ["Macros", "Telemetry", "Page", "Transfer"]))
        for floor in HousePlan.floors {
            let targets = try SourceTree.folders(in: sources.appending(path: floor.name))
            #expect(Set(targets) == Set(floor.targets.map(\.name)), "\(floor.name)")
        }
    }

    /// If a package embeds Annex, it resolves every package that Annex names, even packages whose products it does not
    /// use. So what only some programs need is named by a package of its own.
    @Test(arguments: [
        ("Macros/annex-macros", ["swift-syntax"]),
        ("Telemetry/annex-telemetry", ["swift-metrics", "swift-distributed-tracing"]),
        ("Page/annex-today", ["swift-nio"]), ("Transfer/annex-transfer", ["linkedLibrary(\"curl\")"]),
    ])
    func `only the package that needs a dependency names it`(_ folder: String, _ dependencies: [String]) throws {
        let names = folder.split(separator: "/").map(String.init)
        #expect(try SourceTree.folders(in: SourceTree.root.appending(path: "Sources/\(names[0])")) == [names[1]])
        for (path, isNamed) in [("Package.swift", false), ("Sources/\(folder)/Package.swift", true)] {
            let manifest = try String(contentsOf: SourceTree.root.appending(path: path), encoding: .utf8)
            for one in dependencies { #expect(manifest.contains(one) == isNamed, "\(path): \(one)") }
        }
    }

    /// If ANNEX_WRITES_PLAN is set, as in `make house-plan`, the test first writes the plan to `CONTRIBUTING.md`.
    @Test func `CONTRIBUTING shows the house plan as it is tested`() throws {
        let file = SourceTree.root.appending(path: "CONTRIBUTING.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let shown = try #require(page.firstMatch(of: /```\nCommands\/\n(?:.*\n)*?```/))
        let wanted = "```\n" + HousePlan.picture + "\n```"
        if ProcessInfo.processInfo.environment["ANNEX_WRITES_PLAN"] != nil {
            try page.replacing(shown.output, with: wanted).write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(shown.output == wanted, "run `make house-plan`")
        }
    }

    @Test func `an extension links nothing that imports Foundation`() throws {
        let folders =
            HousePlan.withoutFoundation.compactMap(HousePlan.folder) + ["Sources/Macros/annex-macros/AnnexMacros"]
        for folder in folders {
            for (file, text) in try SourceTree.swiftFiles(in: folder) {
                #expect(!text.contains("import Foundation"), "\(file) imports Foundation")
            }
        }
    }

    @Test func `no library target uses unsafe flags`() async throws {
        let dump = try await PackageDump.load()
        let libraries = dump.targets.filter { $0.type == "regular" }
        #expect(libraries.count > 5)
        for target in libraries {
            #expect(!target.usesUnsafeFlags, "\(target.name) uses unsafe flags: nobody could depend on it")
        }
    }
}
