import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexRegistry

/// The points of a broker: the shipped points, and the points of a host's own directory.
@Suite struct PointLibraryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func text(_ identifier: String, _ more: String = "") -> String {
        "point: \(identifier)\nname: A\nsummary: Does it.\npolicy: compute\n\(more)"
    }

    private func write(_ identifier: String, _ more: String = "") throws {
        let file = folder.url.appending(path: identifier + ".yaml")
        try Data(Self.text(identifier, more).utf8).write(to: file)
    }

    private func library() throws(PolicyError) -> PointLibrary { try PointLibrary(adding: folder.url.path) }

    private func mistake() -> String {
        do throws(PolicyError) {
            _ = try library()
            return "none"
        } catch {
            return "\(error)"
        }
    }

    @Test func `a host adds points and keeps the shipped ones`() throws {
        try write("com.example.thumbnails")
        let library = try library()
        #expect(library.names == (PointLibrary.shipped.names + ["com.example.thumbnails"]).sorted())
        #expect(library.point("com.example.thumbnails")?.policy == "compute")
        #expect(library.isOwn("com.example.thumbnails") && !library.isOwn("com.apple.photo-editing"))
        #expect(PointLibrary.shipped.point("com.example.thumbnails") == nil)
        try library.check(policies: .shipped)
    }

    @Test func `a shipped point is replaced only if the file says so`() throws {
        try write("com.apple.photo-editing")
        #expect(mistake().contains("com.apple.photo-editing.yaml:1:8: com.apple.photo-editing is a shipped point"))
        try write("com.apple.photo-editing", "replaces: shipped\n")
        #expect(try library().point("com.apple.photo-editing")?.policy == "compute")
        try write("com.apple.photo-editin", "replaces: shipped\n")
        #expect(mistake().contains("is not a shipped point, so the file replaces nothing; did you mean"))
    }

    @Test func `two files for one point are refused, also if only capitals differ`() throws {
        try write("com.example.thumbnails")
        try write("com.example.Thumbnails")
        #expect(mistake().contains("com.example.thumbnails is already declared in"))
        #expect(mistake().contains("com.example.Thumbnails.yaml"))
        let point = try ExtensionPoint(text: Self.text("com.example.a"), file: "a/com.example.a.yaml")
        #expect(throws: PolicyError.self) { try PointLibrary.shipped.adding(point).adding(point) }
        let shipped = try ExtensionPoint(
            text: Self.text("com.apple.Photo-Editing", "replaces: shipped\n"), file: "com.apple.Photo-Editing.yaml")
        #expect(throws: PolicyError.self) { try PointLibrary.shipped.adding(shipped) }
    }

    @Test func `a point whose policy does not exist is found before it is used`() throws {
        try Data(Self.text("com.example.a").replacing("compute", with: "comptue").utf8)
            .write(to: folder.url.appending(path: "com.example.a.yaml"))
        let library = try library()
        let error = #expect(throws: PolicyError.self) { try library.check(policies: .shipped) }
        #expect(error?.suggestion == "compute" && error?.place?.line == 4)
    }

    @Test func `a directory or file that every user can change is refused`() throws {
        try write("com.example.a")
        chmod(folder.url.appending(path: "com.example.a.yaml").path, 0o666)
        #expect(mistake().contains("every user can change it"))
        chmod(folder.url.appending(path: "com.example.a.yaml").path, 0o644)
        chmod(folder.url.path, 0o777)
        #expect(mistake().contains("every user can change it"))
        chmod(folder.url.path, 0o755)
        #expect(mistake() == "none")
        symlink("com.example.a.yaml", folder.url.appending(path: "com.example.b.yaml").path)
        #expect(mistake().contains("is a link"))
    }

    @Test(arguments: [
        ("com.apple.photo-edting", "com.apple.photo-editing"), ("photo-editing", "com.apple.photo-editing"),
        ("com.example.thumbnail", "com.example.thumbnails"), ("com.apple.Safari.extension", nil), ("tool", nil),
    ])
    func `a misspelled point gets a suggestion and a foreign name none`(name: String, near: String?) throws {
        try write("com.example.thumbnails")
        #expect(try library().nearest(to: name) == near)
    }
}
