package import AnnexLinux
import AnnexPortal
package import AnnexPortalServer
package import AnnexTransferWire
import Foundation

/// A group and a book of transfers, with the parts of a broker that keep both.
package struct TransferWorld: Sendable {
    package static let film = "all bytes of a film"
    package static let upload = job(.post, .upload(size: 0))
    package static let form = job(
        .post,
        .form([
            TransferPart(name: "text", text: "hello"),
            TransferPart(name: "one", fileName: "1.png", type: "image/png", size: 0),
            TransferPart(name: "two", fileName: nil, type: nil, size: 0),
        ]))
    package static let download = job(.get, .download(TransferDownload(mostBytes: 1 << 20)))

    package let desk: TransferDesk
    package let group: OpenGroup
    private let book: String

    /// - Parameters:
    ///   - groups: the folder of private directories.
    ///   - book: the folder of the book.
    package init(
        groups: String, book: String, step: @escaping @Sendable (TransferStep) -> Void = { _ in }
    ) throws {
        let key = GroupKey(team: String(repeating: "ab", count: 32), identifier: "group.com.example.todo")
        let group = try OpenGroup(GroupFolder(key, in: Descriptor.directory(groups), at: groups, owner: geteuid()))
        self.group = group
        desk = TransferDesk(try TransferBook(in: book), counter: { Self.bytes(of: $0) }, step: step) { _ in group }
        self.book = book
    }

    /// A world in a folder of its own, in which the call makes both folders.
    /// - Parameter folder: its path without links.
    package init(in folder: String, step: @escaping @Sendable (TransferStep) -> Void = { _ in }) throws {
        try Self.makeFolders(in: folder)
        try self.init(groups: folder + "/groups", book: folder + "/book", step: step)
    }

    /// Makes the folders `groups` and `book`.
    package static func makeFolders(in folder: String) throws {
        for name in ["groups", "book"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/\(name)", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
    }

    /// The one session of an app.
    package func session(of app: String = "com.example.todo") throws -> BookedSession {
        try desk.book.openSession(
            SessionWish(
                group: group.key, identifier: app + ".sync", app: app, seconds: 3600, isDiscretionary: false))
    }

    /// Lets the book refuse changes of tasks.
    /// - Parameter condition: which ones, as SQL about the row after the change. No row may be so now.
    package func refuseChanges(when condition: String) throws -> BookFault {
        try BookFault(at: book + "/store.db", when: condition)
    }

    package func tasks() throws -> [BookedTask] { try desk.book.tasks() }

    package func write(_ text: String, to name: String) throws {
        try group.container.replace(name, with: Array(text.utf8), isDurable: false)
    }

    /// The text of a file in the container; nil if there is none.
    package func text(_ name: String) -> String? {
        guard let bytes = try? group.container.openBeneath(name, O_RDONLY).readAll(atMost: 1 << 20) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The bytes that the files in a folder, and in the folders below it, use on the disk.
    package static func bytes(of folder: borrowing Descriptor) -> UInt64 {
        guard let listed = try? folder.openBeneath(".", O_RDONLY | O_DIRECTORY),
            let entries = try? listed.entries(atMost: 10_000)
        else { return 0 }
        var sum: UInt64 = 0
        for name in entries.compactMap(\.name) {
            if let inner = try? folder.openBeneath(name, O_RDONLY | O_DIRECTORY) { sum += bytes(of: inner) }
            let file = try? folder.openBeneath(name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY).status()
            if let file, file.kind == .regular { sum += UInt64(clamping: file.blocks) * 512 }
        }
        return sum
    }

    private static func job(_ method: TransferMethod, _ work: TransferWork) -> TransferJob {
        TransferJob(
            key: TransferKey(task: 0, attempt: 0), method: method, url: "https://example.org/upload", work: work)
    }
}
