import AnnexChannel
import AnnexLinux
import AnnexModel
import Foundation
import Testing

@Suite struct ItemTests {
    private func file(_ bytes: [UInt8]) throws -> ItemContents {
        let path = FileManager.default.temporaryDirectory.appending(path: "annex-item-\(UUID().uuidString)").path
        try Data(bytes).write(to: URL(filePath: path))
        defer { unlink(path) }
        return try ItemContents(path: path)
    }

    @Test func `items and their contents cross the wire`() throws {
        let contents = try file([1, 2, 3])
        let provider = ItemProvider(contents: contents, types: [.png, .data], suggestedName: "picture.png")
        let item = ExtensionItem(
            attributedTitle: "title", attributedContentText: "text", attachments: [provider, provider],
            userInfo: ["edit": "sepia", "nested": ["list": [1, 2.5, true, .data([9])]]])
        var travelling = ContentsList()
        let bytes = try RequestMessage([item], collecting: &travelling).encoded()
        #expect(travelling.contents.count == 1, "contents that two providers share travel once")

        let back = try #require(try RequestMessage(decoding: bytes).inputItems(with: travelling).first)
        #expect(back.attributedTitle == "title" && back.contentText == "text")
        #expect(back.userInfo == item.userInfo)
        #expect(back.attachments.map(\.registeredTypeIdentifiers) == [[.png, .data], [.png, .data]])
        #expect(back.attachments.first?.suggestedName == "picture.png")
        #expect(try back.attachments.first?.loadData(forType: .image) == [1, 2, 3])
    }

    @Test func `contents that did not arrive are refused`() throws {
        var travelling = ContentsList()
        let item = ExtensionItem(attachments: [ItemProvider(contents: try file([]), types: [.png])])
        let bytes = try ReplyMessage([item], collecting: &travelling).encoded()
        let reply = try ReplyMessage(decoding: bytes)
        #expect(throws: DecodingFailure.self) { _ = try reply.result(with: ContentsList()) }
    }

    @Test func `an error crosses the wire and is shown escaped`() throws {
        let error = ExtensionError(code: -3, domain: "com.example", localizedDescription: "no\u{1B}[2J")
        let bytes = try ReplyMessage.cancelled(error).encoded()
        #expect(throws: error) { try ReplyMessage(decoding: bytes).result(with: ContentsList()).get() }
        #expect(error.description == "no\\u{1b}[2J (com.example -3)")
    }

    @Test func `a key that appears twice is refused`() throws {
        let one = try ItemDictionary(values: ["a": 1]).encoded()
        #expect(throws: DecodingFailure.self) { _ = try ItemDictionary(decoding: one + one) }
    }

    @Test func `the error for a type that is not offered names the offered types`() throws {
        let provider = ItemProvider(contents: try file([]), types: [.png])
        #expect(throws: ItemFailure.noSuchType(.jpeg, offered: [.png])) { try provider.loadData(forType: .jpeg) }
    }

    @Test func `contents beyond the limit are refused`() throws {
        let contents = try file([1, 2, 3])
        #expect(throws: ItemFailure.tooLong(limit: 2)) { try contents.load(limit: 2) }
        #expect(try contents.load(limit: 3) == [1, 2, 3])
    }

    @Test func `FS-26: a pipe, a device and a directory are refused without waiting`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "annex-fifo-\(UUID().uuidString)").path
        mkfifo(path, 0o600)
        defer { unlink(path) }
        for other in [path, "/dev/zero", "/tmp"] {
            #expect(throws: ItemFailure.notAFile) { _ = try ItemContents(path: other) }
        }
    }
}
