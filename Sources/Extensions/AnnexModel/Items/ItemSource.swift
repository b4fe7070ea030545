package import AnnexLinux
internal import Glibc
internal import Synchronization

/// The source of contents.
package enum ItemSource: Sendable {
    /// A descriptor that is open from the start.
    case opened
    case file(ItemFile)
    /// A closure of the host, which makes the contents.
    case loader(ItemLoader)
    /// The contents are in the host, and this process is the host's extension.
    case remote(any RemoteItem)
}

/// A file that is opened when its contents are needed.
package struct ItemFile: Sendable {
    package let path: String
    package let size: Int
    /// Whether an extension may make a new version of the file.
    package let isEditable: Bool
    /// The device and the inode of the file that was offered. These two numbers show whether another file, or a link,
    /// has taken the path since then.
    fileprivate let device: UInt64
    fileprivate let inode: UInt64

    package func open() throws(ItemFailure) -> Descriptor {
        let file = try ItemFailure.wrapping { () throws(SystemError) in
            try Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        }
        let status = try ItemContents.status(of: file)
        guard status.kind == .regular else { throw .notAFile }
        // An editable file may have been replaced by a new version with another inode, so the inode of an editable
        // file is not checked.
        guard isEditable || (status.device == device && status.inode == inode) else {
            throw .failed("another file is in its place since it was offered")
        }
        return file
    }
}

/// A closure of the host that makes contents.
package struct ItemLoader: Sendable {
    package let size: Int?
    package let timeout: Duration
    package let load: @Sendable (ItemLoad) async throws -> ItemContents
}

/// Contents that the host has offered to this process.
package protocol RemoteItem: Sendable {
    var size: Int? { get }
    var isEditable: Bool { get }
    /// Asks the host for the contents, and blocks this thread until they arrive.
    func open(_ waiting: LoadWaiting) throws(ItemFailure) -> Descriptor
    /// Asks the host for the contents, and suspends the task until they arrive. Cancelling the task cancels the load.
    nonisolated(nonsending) func open(suspending waiting: LoadWaiting) async throws(ItemFailure) -> Descriptor
    /// Asks the host for a new, empty file, which receives the bytes of the next version.
    func beginVersion() throws(ItemFailure) -> Descriptor
    /// Asks the host to replace its file by the new version.
    func commitVersion() throws(ItemFailure)
}

/// What a message says about contents that its sender offers.
package struct ItemOffer: Sendable, Hashable {
    /// How many loads of a session may be in progress at once. Further loads wait.
    package static let mostLoads = 16

    package let number: UInt64
    package let size: Int?
    package let isEditable: Bool

    package init(number: UInt64, size: Int?, isEditable: Bool = false) {
        self.number = number
        self.size = size
        self.isEditable = isEditable
    }
}

/// How long an extension waits for contents, and what it does while it waits.
package struct LoadWaiting {
    package let timeout: Duration?
    /// Gets the loader's progress. If the closure returns false, the load is cancelled.
    package let progress: (Double) -> Bool

    package init(timeout: Duration? = nil, progress: @escaping (Double) -> Bool = { _ in true }) {
        self.timeout = timeout
        self.progress = progress
    }
}

/// One load of contents, as the loader in the host sees it. Several threads may use this object.
public final class ItemLoad: Sendable {
    /// The progress as a whole number of millionths, because `Atomic` does not support `Double` on every platform.
    private let millionths = Atomic<Int>(0)

    package init() {}

    /// Reports how much of the work is done: 0 for nothing, 1 for everything. Other values are limited to this range.
    public func report(progress: Double) {
        let valid = progress.isNaN ? 0 : min(max(progress, 0), 1)
        millionths.store(Int(valid * 1_000_000), ordering: .relaxed)
    }

    package var progress: Double { Double(millionths.load(ordering: .relaxed)) / 1_000_000 }
}

extension ItemContents {
    /// A file that is opened only if the extension asks for it. This call checks that the file exists and can be
    /// read. If the file disappears later, the load fails.
    ///
    /// - Parameters:
    ///   - path: the path of a regular file that this process can read.
    ///   - isEditable: whether the extension may make a new version of the file. When the extension commits the new
    ///     version, the host replaces the file by that version.
    /// - Throws: `notAFile`, or the error of the check.
    public static func onDemand(path: String, isEditable: Bool = false) throws(ItemFailure) -> ItemContents {
        var found = stat()
        // SAFETY: stat writes one `stat` and keeps no pointer to it.
        guard unsafe stat(path, &found) == 0 else {
            throw .system(SystemError("stat", errno: errno, path: path))
        }
        guard found.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        // SAFETY: the path is lent for the call.
        guard unsafe access(path, R_OK) == 0 else { throw .system(SystemError("access", errno: errno, path: path)) }
        return ItemContents(
            .file(
                ItemFile(
                    path: path, size: Int(found.st_size), isEditable: isEditable, device: UInt64(found.st_dev),
                    inode: UInt64(found.st_ino))))
    }

    /// Contents that a closure makes if the extension asks for them.
    ///
    /// ```swift
    /// let preview = ItemContents.onDemand { load in
    ///     try ItemContents(bytes: try await renderer.picture { load.report(progress: $0) })
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - size: the size in bytes as a hint for the extension; nil if the size is not known.
    ///   - timeout: how long the closure may take. After that time, the load fails and the closure's task is cancelled.
    ///   - load: runs in a task of its own. The task is cancelled if the extension cancels the load or the request
    ///     ends. If the closure throws, the extension gets the error's text, and may load again. The closure must not
    ///     return contents on demand.
    public static func onDemand(
        size: Int? = nil, timeout: Duration = .seconds(30),
        _ load: @escaping @Sendable (ItemLoad) async throws -> ItemContents
    ) -> ItemContents {
        ItemContents(.loader(ItemLoader(size: size, timeout: timeout, load: load)))
    }
}
