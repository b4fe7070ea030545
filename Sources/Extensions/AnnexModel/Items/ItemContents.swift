public import AnnexLinux
internal import Glibc
internal import Synchronization

/// The bytes behind an attachment: a file, sealed memory, or a loader that makes the bytes on request.
///
/// Contents on demand (`onDemand`) are opened at the first read. Several providers may share one `ItemContents`. The
/// descriptor is closed when the last of these providers is released.
public final class ItemContents: Sendable {
    package let source: ItemSource
    private let opened: Mutex<OpenedContents?>

    /// The standard limit for loading: 256 MiB.
    public static let standardLimit = 256 << 20

    package init(_ source: ItemSource) {
        self.source = source
        opened = Mutex(nil)
    }

    /// Wraps a descriptor that is known to be a regular file or memory.
    init(regular descriptor: consuming Descriptor) {
        source = .opened
        opened = Mutex(OpenedContents(descriptor))
    }

    /// Wraps a descriptor of a regular file or of memory, open for reading.
    ///
    /// - Throws: `notAFile` if the descriptor is of any other kind.
    public convenience init(_ descriptor: consuming Descriptor) throws(ItemFailure) {
        guard try Self.status(of: descriptor).kind == .regular else { throw .notAFile }
        self.init(regular: descriptor)
    }

    /// Opens a file for reading. The call rejects a device or a pipe without blocking on it.
    public convenience init(path: String) throws(ItemFailure) {
        try self.init(
            ItemFailure.wrapping { () throws(SystemError) in
                try Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
            })
    }

    /// The current size in bytes. The file may change after this read. To find the size of contents on demand, this
    /// property opens them.
    public var count: Int {
        get throws(ItemFailure) { Int(clamping: try status().size) }
    }

    /// The size in bytes; nil if the size is not known before the contents are opened. The size of a file may change
    /// afterwards.
    public var knownCount: Int? {
        switch source {
        case .opened: try? count
        case .file(let file): file.size
        case .loader(let loader): loader.size
        case .remote(let item): item.size
        }
    }

    package func status() throws(ItemFailure) -> FileStatus { try Self.status(of: open().descriptor) }

    static func status(of descriptor: borrowing Descriptor) throws(ItemFailure) -> FileStatus {
        try ItemFailure.wrapping { () throws(SystemError) in try descriptor.status() }
    }

    /// Opens the contents, unless they are open already, and keeps them open. The call blocks this thread until the
    /// contents are open.
    package func open(_ waiting: LoadWaiting = LoadWaiting()) throws(ItemFailure) -> OpenedContents {
        keep(try lend(waiting))
    }

    /// Opens the contents like `open`, but suspends the task until the contents are open. Cancelling the task cancels
    /// the load.
    package nonisolated(nonsending) func open(
        suspending waiting: LoadWaiting = LoadWaiting()
    ) async throws(ItemFailure) -> OpenedContents {
        keep(try await lend(suspending: waiting))
    }

    /// Opens the contents for one reader, unless they are open already. If this call opens them, they are closed after
    /// that reader. The call blocks this thread until the contents are open.
    func lend(_ waiting: LoadWaiting) throws(ItemFailure) -> OpenedContents {
        if let known = opened.withLock({ $0 }) { return known }
        guard case .remote(let item) = source else { return try openHere() }
        return OpenedContents(try item.open(waiting))
    }

    /// Opens the contents like `lend`, but suspends the task until they are open.
    nonisolated(nonsending) func lend(suspending waiting: LoadWaiting) async throws(ItemFailure) -> OpenedContents {
        if let known = opened.withLock({ $0 }) { return known }
        guard case .remote(let item) = source else { return try openHere() }
        return OpenedContents(try await item.open(suspending: waiting))
    }

    private func openHere() throws(ItemFailure) -> OpenedContents {
        guard case .file(let file) = source else { throw .notLoadable }
        return OpenedContents(try file.open())
    }

    /// Keeps an open file for all readers to come, unless one is kept already.
    private func keep(_ new: OpenedContents) -> OpenedContents {
        opened.withLock { held in
            if let held { return held }
            held = new
            return new
        }
    }
}

/// An open file of contents. The file is closed when the last reference to this object is released.
package final class OpenedContents: Sendable {
    package let descriptor: Descriptor

    init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }
}

extension ItemContents {
    /// Copies bytes into memory that no process can change any more.
    public convenience init(bytes: [UInt8]) throws(ItemFailure) {
        let memory = try ItemFailure.wrapping { () throws(SystemError) in
            try Descriptor.sealed("annex-item", holding: bytes)
        }
        self.init(regular: memory)
    }

    /// Contents that a closure writes directly into memory. The memory is sealed when the closure returns.
    ///
    /// - Parameter write: receives the descriptor of an open file. Write to the file from its start, and do not close
    ///   the descriptor.
    public static func sealing(_ write: (_ file: Int32) throws -> Void) throws -> ItemContents {
        let memory = try Descriptor.memfd("annex-item", size: 0)
        try write(memory.number)
        try memory.addSeals(.immutable)
        return ItemContents(regular: memory)
    }
}
