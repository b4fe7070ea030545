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
        guard try Self.status(of: descriptor.number).isRegular else { throw .notAFile }
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
        get throws(ItemFailure) { try Self.status(of: descriptor.number).size }
    }

    /// A private copy of all bytes, so that no later change of the file is seen.
    ///
    /// - Parameter limit: most bytes; longer contents are refused, not cut.
    public func load(limit: Int = standardLimit) throws(ItemFailure) -> [UInt8] {
        let expected = try count
        guard expected <= limit else { throw .tooLong(limit: limit) }
        let number = descriptor.number
        var failure: SystemError?
        // One byte more than expected shows whether the file has grown since.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: expected + 1) { buffer, filled in
            // SAFETY: read() writes only into the room that is left and says how much it wrote.
            unsafe (filled, failure) = Self.read(number, into: UnsafeMutableRawBufferPointer(buffer))
        }
        if let failure { throw .system(failure) }
        guard bytes.count <= expected else { throw .changedWhileRead }
        return bytes
    }

    /// Reads from the start until the end of file or of the buffer.
    private static func read(
        _ number: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) -> (filled: Int, failure: SystemError?) {
        var filled = 0
        while filled < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            do throws(SystemError) {
                let count = try SystemError.retrying("pread") {
                    unsafe pread(number, rest.baseAddress, rest.count, filled)
                }
                if count == 0 { break }
                filled += count
            } catch {
                return (filled, error)
            }
        }
        return (filled, nil)
    }

    private static func status(of number: Int32) throws(ItemFailure) -> (isRegular: Bool, size: Int) {
        var status = stat()
        do throws(SystemError) {
            // SAFETY: the call fills the structure and keeps nothing.
            _ = try SystemError.retrying("fstat") { unsafe fstat(number, &status) }
        } catch {
            throw .system(error)
        }
        return (status.st_mode & S_IFMT == S_IFREG, status.st_size)
    }
}
