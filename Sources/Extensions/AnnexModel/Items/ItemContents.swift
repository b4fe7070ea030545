public import AnnexLinux
internal import Glibc

/// The bytes behind an attachment: a file opened for reading, or sealed memory.
///
/// Several providers may share one `ItemContents`. The descriptor is closed when the last of them is released.
public final class ItemContents: Sendable {
    package let descriptor: Descriptor

    /// The standard limit for loading: 256 MiB.
    public static let standardLimit = 256 << 20

    /// Wraps a descriptor that is known to be a regular file or memory.
    init(regular descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// Wraps a descriptor of a regular file or of memory, open for reading.
    ///
    /// - Throws: `notAFile` if it is anything else.
    public convenience init(_ descriptor: consuming Descriptor) throws(ItemFailure) {
        guard try Self.status(of: descriptor).kind == .regular else { throw .notAFile }
        self.init(regular: descriptor)
    }

    /// Opens a file for reading. Rejects a device or a pipe without blocking on it.
    public convenience init(path: String) throws(ItemFailure) {
        try self.init(
            ItemFailure.wrapping { () throws(SystemError) in
                try Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
            })
    }

    /// The current size in bytes. A file may change afterwards.
    public var count: Int {
        get throws(ItemFailure) { Int(clamping: try Self.status(of: descriptor).size) }
    }

    /// Copies all bytes, so that later changes of the file do not affect them.
    ///
    /// - Parameter limit: the most bytes to load. Longer contents are an error, and are not cut.
    public func load(limit: Int = standardLimit) throws(ItemFailure) -> [UInt8] {
        let expected = try count
        guard expected <= min(limit, Int.max - 1) else { throw .tooLong(limit: limit) }
        let bytes = try ItemFailure.wrapping { () throws(SystemError) in
            // Reading one byte more than expected reveals whether the file has grown since.
            try descriptor.read(at: 0, count: expected + 1)
        }
        guard bytes.count <= expected else { throw .changedWhileRead }
        return bytes
    }

    private static func status(of descriptor: borrowing Descriptor) throws(ItemFailure) -> FileStatus {
        try ItemFailure.wrapping { () throws(SystemError) in try descriptor.status() }
    }
}

extension ItemContents {
    /// Copies bytes into memory that no process can change any more.
    public convenience init(bytes: [UInt8]) throws(ItemFailure) {
        let memory = try ItemFailure.wrapping { () throws(SystemError) in
            let memory = try Descriptor.memfd("annex-item", size: 0)
            try memory.writeAll(bytes)
            try memory.addSeals(.immutable)
            return memory
        }
        self.init(regular: memory)
    }

    /// Contents that a closure writes straight into memory. The memory is sealed when the closure returns.
    ///
    /// - Parameter write: receives the number of an open file. Write to it from its start, and do not close it.
    public static func sealing(_ write: (_ file: Int32) throws -> Void) throws -> ItemContents {
        let memory = try Descriptor.memfd("annex-item", size: 0)
        try write(memory.number)
        try memory.addSeals(.immutable)
        return ItemContents(regular: memory)
    }
}

/// Why the contents of an attachment cannot be read.
public enum ItemFailure: Error, Sendable, Hashable {
    /// The provider does not offer this type.
    case noSuchType(TypeIdentifier, offered: [TypeIdentifier])
    /// The contents are longer than the reader allows, in bytes.
    case tooLong(limit: Int)
    /// The contents are neither a file nor memory.
    case notAFile
    /// The file grew while it was read.
    case changedWhileRead
    /// A system call failed.
    case system(SystemError)
}

extension ItemFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noSuchType(let type, let offered):
            "the item is not offered as \(type), only as \(offered.map(\.description).joined(separator: ", "))"
        case .tooLong(let limit): "the item is longer than \(limit) bytes"
        case .notAFile: "the item's contents are neither a regular file nor memory"
        case .changedWhileRead: "the item's file changed while it was read"
        case .system(let error): "the item could not be read: \(error)"
        }
    }
}

extension ItemFailure {
    /// Runs system calls and wraps their error.
    static func wrapping<Result: ~Copyable>(
        _ body: () throws(SystemError) -> Result
    ) throws(ItemFailure) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw .system(error)
        }
    }
}
