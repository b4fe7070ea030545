import Foundation
import Testing

/// Holds `Package.swift` and the sources against the house plan.
@Suite struct LayeringTests {
    @Test func arrowsGoDownOnlyAndEveryTargetIsInThePlan() async throws {
        for target in try await PackageDump.load().targets where target.isOfTheLibrary {
            let allowed = try #require(HousePlan.arrows[target.name], "\(target.name) is not in the house plan")
            let excess = target.dependencies.subtracting(allowed)
            #expect(excess.isEmpty, "\(target.name) may not depend on \(excess.sorted())")
        }
    }

    @Test func whatAnExtensionLinksNeverImportsFoundation() async throws {
        let examples = try await PackageDump.load().targets.filter { $0.path?.contains("Sources/Examples") ?? false }
        let folders = HousePlan.withoutFoundation.map { "Sources/\($0)" } + examples.compactMap(\.path)
        for folder in folders {
            for (file, text) in try SourceTree.swiftFiles(in: folder) {
                #expect(!text.contains("import Foundation"), "\(file) imports Foundation")
            }
        }
    }

    @Test func noLibraryTargetUsesUnsafeFlags() async throws {
        let dump = try await PackageDump.load()
        let libraries = dump.targets.filter { $0.type == "regular" }
        #expect(libraries.count > 5)
        for target in libraries {
            #expect(!target.usesUnsafeFlags, "\(target.name) uses unsafe flags: nobody could depend on it")
        }
    }

    @Test func oneTypePerFileAndFilesStaySmall() throws {
        for (file, text) in try SourceTree.swiftFiles(in: "Sources") where !file.contains("Table") {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).count
            #expect(lines <= 400, "\(file) has \(lines) lines: an idea that outgrew its room?")
        }
    }
}
