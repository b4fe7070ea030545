import Foundation
import Testing

/// Folders inside a target are layers. A file may use folders in layers below its own folder. Those folders must not
/// use the file's folder.
@Suite struct FolderGraphTests {
    @Test func `no folder of a target is used by a folder that it uses`() async throws {
        for (name, folder) in try await Self.targets() {
            let graph = FolderGraph(files: try SourceTree.swiftFiles(in: folder), root: folder)
            let circles = graph.circles
            #expect(
                circles.isEmpty, "\(name): \(circles.sorted()) lie in a circle: \(graph.arrows(within: circles))")
        }
    }

    @Test func `a circle is found, through a third folder too`() {
        let files = [
            (file: "/x/Top/A.swift", text: "struct A { let b: B }"),
            (file: "/x/Middle/B.swift", text: "struct B { var c: C? }"),
            (file: "/x/Low/C.swift", text: "final class C {\n    func use() { A.run() }\n}"),
            (file: "/x/Aside/D.swift", text: "// A, B and C\nenum D { case a(String) /* C */ }"),
        ]
        #expect(FolderGraph(files: files, root: "/x").circles == ["Top", "Middle", "Low"])
    }

    /// Every Swift target of the library, with its folder.
    private static func targets() async throws -> [String: String] {
        var folders: [String: String] = [:]
        for target in try await PackageDump.load().targets where target.isOfTheLibrary && target.type != "plugin" {
            let folder = target.path ?? "Sources/\(target.name)"
            let files = try SourceTree.swiftFiles(in: folder)
            if !files.isEmpty { folders[target.name] = folder }
        }
        return folders
    }
}
