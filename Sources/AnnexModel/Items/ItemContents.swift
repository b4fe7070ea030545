public import AnnexLinux
internal import Glibc

/// The bytes behind an attachment: a file opened for reading, or memory that its maker sealed.
///
/// Several providers may share one contents; the descriptor is closed with the last of them.
public final class ItemContents: Sendable {
    package let descriptor: Descriptor

    /// 256 MiB.
    public static let standardLimit = 256 << 20

    /// Takes a regular file or memory opened for reading.
    public init(_ descriptor: consuming Descriptor) throws(ItemFailure) {
        guard try Self.status(of: descriptor).kind == .regular else { throw .notAFile }
        self.descriptor = descriptor
    }

    /// Opens a file for reading; a device or a pipe is refused without waiting for it.
    public convenience init(path: String) throws(ItemFailure) {
        let opened: Descriptor
        do throws(SystemError) {
            opened = try Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        } catch {
            throw .system(error)
        }
        try self.init(opened)
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
        do throws(SystemError) {
            // One byte more than expected shows whether the file has grown since.
            let bytes = try descriptor.read(at: 0, count: expected + 1)
            if bytes.count <= expected { return bytes }
        } catch {
            throw .system(error)
        }
        throw .changedWhileRead
    }

    private static func status(of descriptor: borrowing Descriptor) throws(ItemFailure) -> FileStatus {
        do throws(SystemError) {
            return try descriptor.status()
        } catch {
            throw .system(error)
        }
    }
}
