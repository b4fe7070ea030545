import AnnexBundle
import AnnexTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20))) struct ExampleProgramsTests {
    @Test(arguments: Example.names) func `an example program needs no other file`(name: String) throws {
        let file = try Data(contentsOf: URL(filePath: Example.program(name)), options: .mappedIfSafe)
        let types = try #require(programHeaderTypes(file))
        #expect(types.contains(1), "no segment is loaded: the test reads the file wrongly")
        #expect(!types.contains(2), "\(name) has a dynamic section: it may need libraries")
        #expect(!types.contains(3), "\(name) needs a program interpreter")
    }

    /// The types of an ELF file's segments.
    private func programHeaderTypes(_ file: Data) -> [UInt32]? {
        guard file.count > 64, file.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else { return nil }
        func number<Number: FixedWidthInteger>(_ place: Int, _: Number.Type) -> Number {
            file.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: Number.self) }
        }
        let table = Int(number(32, UInt64.self))
        let size = Int(number(54, UInt16.self))
        return (0..<Int(number(56, UInt16.self))).map { number(table + $0 * size, UInt32.self) }
    }

    @Test func `no example imports Foundation`() throws {
        let sources = try #require(
            FileManager.default.enumerator(
                at: Example.root.appending(path: "Examples").resolvingSymlinksInPath(),
                includingPropertiesForKeys: nil, options: .skipsHiddenFiles))
        var count = 0
        for case let file as URL in sources where file.pathExtension == "swift" && !file.path.contains("/Tests/") {
            count += 1
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains("import Foundation"), "\(file.lastPathComponent)")
        }
        #expect(count > 5)
    }

    @Test func `the assembled apps keep the rules of packaging`() throws {
        let out = FileManager.default.temporaryDirectory.appending(path: "annex-apps-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: out) }
        let script = try ChildProcess(
            Example.root.appending(path: "Examples/assemble"),
            arguments: [
                Example.programs.path, out.path, "Pictures", "Shout", "Thumbnails", "Filters", "MyPicture", "Translate",
            ])
        #expect(script.waitUntilExit() == .exited(0))

        let pictures = try AppBundle.open(out.appending(path: "Pictures.app").path)
        #expect(
            pictures.extensions.map(\.identifier).sorted() == [
                "com.example.pictures.editor", "com.example.pictures.misbehaver", "com.example.pictures.silent",
            ])
        #expect(pictures.extensions.allSatisfy { $0.extensionPoint == "com.apple.photo-editing" })
        let shout = try AppBundle.open(out.appending(path: "Shout.app").path)
        #expect(shout.extensions.map(\.extensionPoint) == ["com.apple.ui-services"])
        #expect(shout.extensions.first?.displayName == "Shout — Loud")
        let thumbnails = try AppBundle.open(out.appending(path: "Thumbnails.app").path)
        #expect(thumbnails.extensions.map(\.extensionPoint) == ["com.example.thumbnails"])
        let filters = try AppBundle.open(out.appending(path: "Filters.app").path)
        #expect(filters.extensions.map(\.identifier) == ["com.example.filters.editor"])
    }
}
