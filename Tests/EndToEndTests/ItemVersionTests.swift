import AnnexEmbedded
import AnnexHost
import AnnexModel
import AnnexTestSupport
import Foundation
import Testing

/// New versions of a file. An extension in its sandbox writes them, and its host puts them in place.
@Suite(.timeLimit(.minutes(20))) struct ItemVersionTests {
    private let app: SubstituteApp
    private let host: AnnexHost
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        app = try SubstituteApp(running: "loads-items")
        host = try AnnexHost.embedded(apps: [app.path], patience: .patience)
        path = folder.url.appending(path: "letter").path
        try Data("old".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    }

    private func edit(_ text: String, isEditable: Bool = true, meanwhile: ItemProvider? = nil) async throws -> String? {
        let contents = try ItemContents.onDemand(path: path, isEditable: isEditable)
        let session = try await host.begin(SubstituteApp.identifier)
        let attachments = [ItemProvider(contents: contents, types: [.data])] + [meanwhile].compactMap(\.self)
        let item = ExtensionItem(attributedContentText: AttributedText("edits \(text)"), attachments: attachments)
        let answer = try await session.request([item])
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
        return answer.first?.contentText
    }

    private func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test func `a committed version replaces the file with its mode, and no later write reaches it`() async throws {
        #expect(try await edit("and new") == "committed")
        #expect(try text() == "oldand new")
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(folder.names == ["letter"])
    }

    @Test func `a version that is not committed leaves the file as it was`() async throws {
        #expect(try await edit("and leaves") == "left")
        #expect(try text() == "old")
        #expect(folder.names == ["letter"])
    }

    @Test func `a file that changed meanwhile is named and kept`() async throws {
        let path = path
        let pause = ItemContents.onDemand { _ in
            try Data("newer".utf8).write(to: URL(filePath: path))
            return try ItemContents(bytes: [1])
        }
        let outcome = try await edit("and waits", meanwhile: ItemProvider(contents: pause, types: [.data]))
        // The extension is told the file's name, but not the folder in which the host keeps the file.
        #expect(outcome?.contains("letter has changed since the new version was begun") == true, "\(outcome ?? "")")
        #expect(outcome?.contains(folder.url.path) == false)
        #expect(try text() == "newer")
        #expect(folder.names == ["letter"])
    }

    @Test func `a file without the grant cannot be edited`() async throws {
        #expect(try await edit("and new", isEditable: false) == "the host has not granted a new version of the item")
        #expect(try text() == "old")
    }

    @Test func `the new version of a link is the version of its target`() async throws {
        let target = folder.url.appending(path: "target").path
        try FileManager.default.moveItem(atPath: path, toPath: target)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        #expect(try await edit("and new") == "committed")
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "oldand new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == target)
    }
}
