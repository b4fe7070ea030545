public import AnnexLinux
internal import Glibc

/// The bytes behind an attachment: a file opened for reading, or memory that its maker sealed.
///
/// Several providers may share one contents; the descriptor is closed with the last of them.
public final class ItemContents: Sendable {
    package let descriptor: Descriptor

    /// 256 MiB.
    public static let standardLimit = 256 << 20

    /// Takes what is known to be a regular file or memory.
    init(regular descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// Takes a regular file or memory opened for reading.
    public convenience init(_ descriptor: consuming Descriptor) throws(ItemFailure) {
        guard try Self.status(of: descriptor).kind == .regular else { throw .notAFile }
        self.init(regular: descriptor)
    }

    /// Opens a file for reading; a device or a pipe is refused without waiting for it.
    public convenience init(path: String) throws(ItemFailure) {
        try self.init(
            ItemFailure.wrapping { () throws(SystemError) in
                try Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
            })
    }

    /// The size in bytes when asked; a file may change afterwards.
    public var count: Int {
        get throws(ItemFailure) { Int(clamping: try Self.status(of: descriptor).size) }
    }

    /// A private copy of all bytes, so that no later change of the file is seen.
    ///
    /// - Parameter limit: most bytes; longer contents are refused, not cut.
    public func load(limit: Int = standardLimit) throws(ItemFailure) -> [UInt8] {
        let expected = try count
        guard expected <= min(limit, Int.max - 1) else { throw .tooLong(limit: limit) }
        let bytes = try ItemFailure.wrapping { () throws(SystemError) in
            // One byte more than expected shows whether the file has grown since.
            try descriptor.read(at: 0, count: expected + 1)
        }
        guard bytes.count <= expected else { throw .changedWhileRead }
        return bytes
    }

    private static func status(of descriptor: borrowing Descriptor) throws(ItemFailure) -> FileStatus {
        try ItemFailure.wrapping { () throws(SystemError) in try descriptor.status() }
    }
}
