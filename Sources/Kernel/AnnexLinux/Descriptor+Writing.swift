internal import Glibc

extension Descriptor {
    /// Writes every byte, in as many calls as it takes.
    /// - Throws: `EAGAIN` if the descriptor is non-blocking and full, possibly after a part was written.
    package func writeAll(_ bytes: [UInt8]) throws(SystemError) {
        var failure: SystemError?
        unsafe bytes.withUnsafeBytes { buffer in
            do throws(SystemError) {
                try unsafe writeAll(buffer)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Writes a whole buffer at the current offset.
    package func writeAll(_ buffer: UnsafeRawBufferPointer) throws(SystemError) {
        var done = 0
        while done < buffer.count {
            // SAFETY: `done` stays below the buffer's size, and write reads at most the size that it is given.
            done += try SystemError.retrying("write") {
                unsafe Glibc.write(number, buffer.baseAddress?.advanced(by: done), buffer.count - done)
            }
        }
    }

    /// Sets a file's size; new bytes read as zero and take no memory until written.
    package func resize(to size: Int64) throws(SystemError) {
        _ = try SystemError.retrying("ftruncate") { ftruncate(number, off_t(size)) }
    }
}
