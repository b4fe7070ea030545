import AnnexChannel
import AnnexLinux
import AnnexModel
import AnnexTestSupport
import Foundation
import Testing

/// Reads contents in pieces, also from files that change during the reading.
@Suite struct ItemReadingTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.url.appending(path: "file").path
        try Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) }).write(to: URL(filePath: path))
    }

    @Test func `a part is read at its place and ends with the contents`() throws {
        let contents = try ItemContents(path: path)
        #expect(try contents.read(at: 257, count: 3) == [1, 2, 3])
        #expect(try contents.read(at: 99_999, count: .max) == [UInt8(truncatingIfNeeded: 99_999)])
        for (offset, count) in [(100_000, 1), (-1, 5), (0, 0), (0, -1), (.max, .max)] {
            #expect(try contents.read(at: offset, count: count) == [])
        }
    }

    @Test func `the pieces of contents are all bytes in order`() async throws {
        let contents = try ItemContents(path: path)
        for size in [1 << 10, 33_333, 50_000, 100_000, 1 << 20] {
            var bytes: [UInt8] = []
            for try await piece in contents.chunks(of: size) { bytes += piece }
            #expect(try bytes == contents.load())
            var lent: [UInt8] = []
            try contents.forEachChunk(of: size) { piece in
                lent += piece.withUnsafeBytes { [UInt8]($0) }
                return true
            }
            #expect(lent == bytes)
        }
    }

    @Test func `contents are written to a new file and never over another`() throws {
        let contents = try ItemContents(path: path)
        let target = folder.url.appending(path: "copy").path
        try contents.write(to: target)
        #expect(try Data(contentsOf: URL(filePath: target)) == Data(contentsOf: URL(filePath: path)))
        #expect(throws: ItemFailure.self) { try contents.write(to: target) }
        #expect(throws: ItemFailure.self) { try contents.write(to: path) }
    }

    @Test(arguments: [10, 200_000])
    func `a file that shrinks or grows while it is read is an error`(_ size: Int) throws {
        let contents = try ItemContents(path: path)
        let target = folder.url.appending(path: "copy").path
        var iterator = contents.chunks(of: 1 << 14).makeAsyncIterator()
        _ = try iterator.nextChunk()
        try #require(truncate(path, size) == 0)
        #expect(throws: ItemFailure.changedWhileRead) { while try iterator.nextChunk() != nil {} }
        try #require(truncate(path, 100_000) == 0)
        #expect(throws: ItemFailure.changedWhileRead) {
            try contents.forEachChunk(of: 1 << 14) { _ in truncate(path, off_t.random(in: 20...90)) == 0 }
        }
        try contents.write(to: target)
    }

    @Test func `a file that is written again while it is read is an error and leaves no copy`() throws {
        let contents = try ItemContents(path: path)
        #expect(throws: ItemFailure.changedWhileRead) {
            try contents.forEachChunk(of: 1 << 14) { _ in utimes(path, nil) == 0 && touch() }
        }
    }

    /// Sets another modification time. A write within the same tick of the clock may not change that time.
    private func touch() -> Bool {
        (try? FileManager.default.setAttributes([.modificationDate: Date.distantPast], ofItemAtPath: path)) != nil
    }

    @Test func `a vanished file stays readable once it is open`() throws {
        let contents = try ItemContents(path: path)
        unlink(path)
        #expect(try contents.load().count == 100_000)
    }

    @Test func `contents of a loader are read by no program of their own`() throws {
        let contents = ItemContents.onDemand(size: 5) { _ in try ItemContents(bytes: [1]) }
        #expect(contents.knownCount == 5)
        #expect(throws: ItemFailure.notLoadable) { try contents.load() }
    }

    @Test func `an object is text, a URL or a property value, and nothing else`() throws {
        #expect(try ItemProvider("text").loadObject(ofType: String.self) == "text")
        let link = try ItemProvider(try ItemURL("https://example.com/a"))
        #expect(try link.loadObject(ofType: ItemURL.self).string == "https://example.com/a")
        let value: ItemValue = ["a": [1, true, "b"]]
        #expect(try ItemProvider(value).loadObject(ofType: ItemValue.self) == value)
        #expect(throws: ItemFailure.self) { try link.loadObject(ofType: String.self) }
        for text in ["", "no scheme", "://", "1a:b", "a: b", "a:\u{1B}", "a:" + String(repeating: "x", count: 70_000)] {
            #expect(throws: ItemFailure.self) { _ = try ItemURL(text) }
        }
        let broken = ItemProvider(contents: try ItemContents(bytes: [0xFF]), types: [.plainText])
        #expect(throws: ItemFailure.malformed("the text is not UTF-8")) { try broken.loadObject(ofType: String.self) }
    }

    @Test func `the forms that await load what is here, too`() async throws {
        let file = ItemProvider(contents: try ItemContents.onDemand(path: path), types: [.plainText])
        #expect(try await file.loadData(forType: .data).count == 100_000)
        #expect(try await file.loadItem(forType: .data).count == 100_000)
        #expect(try await file.loadFile(forType: .data) { $0 } >= 0)
        #expect(try await ItemProvider("text").loadObject(ofType: String.self) == "text")
        await #expect(throws: ItemFailure.tooLong(limit: 9)) { try await file.loadData(forType: .data, limit: 9) }
        await #expect(throws: ItemFailure.noSuchType(.png, offered: [.plainText])) {
            try await file.loadItem(forType: .png)
        }
        let loader = ItemProvider(
            contents: ItemContents.onDemand { _ in try ItemContents(bytes: [1]) }, types: [.plainText])
        await #expect(throws: ItemFailure.notLoadable) { try await loader.loadObject(ofType: String.self) }
        #expect(throws: ItemFailure.notLoadable) { try loader.contents.load() }
    }

    @Test func `an offer crosses the wire as types, name, size and number`() throws {
        let contents = try ItemContents.onDemand(path: path, isEditable: true)
        var list = ContentsList(offering: { 7 })
        let other = ItemContents.onDemand { _ in try ItemContents(bytes: [1]) }
        let provider = ItemProvider(
            ItemRepresentation(contents, types: [.png]), alternatives: ItemRepresentation(other, types: [.html]),
            suggestedName: "a")
        let bytes = try RequestMessage([ExtensionItem(attachments: [provider])], collecting: &list).encoded()
        #expect(list.contents.isEmpty && list.offered.map(\.number) == [7, 7])
        #expect(throws: DecodingFailure.self) { try RequestMessage(decoding: bytes).inputItems(with: ContentsList()) }
        let received = try ContentsList(taking: DescriptorList(), offers: { Known(offer: $0) })
        let back = try RequestMessage(decoding: bytes).inputItems(with: received).first?.attachments.first
        #expect(back?.registeredTypeIdentifiers == [.png, .html] && back?.suggestedName == "a")
        #expect(back?.representations.map(\.knownCount) == [100_000, nil])
        #expect(back?.representations.map(\.contents.isEditable) == [true, false])
    }

    @Test func `a file that takes the place of an offered one is not loaded`() throws {
        let contents = try ItemContents.onDemand(path: path)
        let other = path + ".other"
        try Data("other".utf8).write(to: URL(filePath: other))
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
        #expect(throws: ItemFailure.self) { try contents.load() }
    }

    @Test func `what exceeds the descriptors of a message is offered`() throws {
        let contents = try (0..<20).map { try ItemContents(bytes: [UInt8($0)]) }
        var list = ContentsList(offering: { 1 })
        let items = contents.map { ExtensionItem(attachments: [ItemProvider(contents: $0, types: [.data])]) }
        _ = RequestMessage(items, collecting: &list)
        #expect(list.contents.count == 15 && list.offered.count == 5)
    }

    @Test func `a long list in broken pages is refused`() throws {
        let items = (0..<30_000).map { ExtensionItem(contentText: "item \($0) of a long list of items") }
        var list = ContentsList()
        let message = RequestMessage(items, collecting: &list)
        #expect(throws: EncodingFailure.self) { try message.encoded() }
        let bytes = try #require(try message.paged(collecting: &list)).encoded()
        #expect(bytes.count < 32)
        #expect(try RequestMessage(decoding: bytes).inputItems(with: list).count == 30_000)
        let pages = try #require(list[0]).load()
        for broken in [Array(pages.dropLast()), [1, 2], [255, 255, 255, 255, 0], pages + [5, 0, 0, 0, 9]] {
            let other = ContentsList([try ItemContents(bytes: broken)])
            #expect(throws: DecodingFailure.self) { try RequestMessage(decoding: bytes).inputItems(with: other) }
        }
        #expect(throws: DecodingFailure.self) { try RequestMessage(decoding: bytes).inputItems(with: ContentsList()) }
    }
}

private struct Known: RemoteItem {
    let offer: ItemOffer
    var size: Int? { offer.size }
    var isEditable: Bool { offer.isEditable }
    func open(_ waiting: LoadWaiting) throws(ItemFailure) -> Descriptor { throw .cancelled }
    func open(suspending waiting: LoadWaiting) async throws(ItemFailure) -> Descriptor { throw .cancelled }
    func beginVersion() throws(ItemFailure) -> Descriptor { throw .cancelled }
    func commitVersion() throws(ItemFailure) { throw .cancelled }
}
