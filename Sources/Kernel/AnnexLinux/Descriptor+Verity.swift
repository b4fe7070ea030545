internal import CAnnexLinux

// fs-verity of file systems such as ext4, f2fs and btrfs. The kernel checks each block of an enabled file whenever a
// program reads it. The file's contents therefore stay as they were when verity was enabled for the file.

extension Descriptor {
    /// Makes this file's contents immutable for as long as the file exists. The file can still be removed.
    ///
    /// - Returns: whether verity is enabled for the file now. The result is false if the file system has no verity,
    ///   or if another program has the file open for writing. It is also false if this user is not allowed to change
    ///   the file.
    package func enableVerity() -> Bool {
        let result = annex_verity_enable(number)
        return result == 0 || verityDigest() != nil
    }

    /// The kernel's own digest of an enabled file, 32 bytes. Nil if verity is not enabled for the file.
    ///
    /// The kernel computes the digest from the file's blocks when verity is enabled. Reading the digest later takes no
    /// time. Two files have the same digest only if their contents are the same.
    package func verityDigest() -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 32)
        // SAFETY: the call writes at most 32 bytes, which is the size of the array, and keeps no pointer.
        let result = unsafe digest.withUnsafeMutableBufferPointer { room in
            unsafe room.baseAddress.map { unsafe annex_verity_measure(number, $0) } ?? -1
        }
        return result == 0 ? digest : nil
    }
}
