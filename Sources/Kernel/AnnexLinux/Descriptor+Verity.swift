internal import CAnnexLinux

// fs-verity of file systems such as ext4, f2fs and btrfs. The kernel checks each block of an enabled file whenever a
// program reads it, so the file's contents stay what they were when it was enabled.

extension Descriptor {
    /// Makes this file's contents immutable for as long as the file exists. It can still be removed.
    ///
    /// - Returns: whether the file is enabled now. False if the file system has no verity, if another program has the
    ///   file open for writing, or if this user may not change the file.
    package func enableVerity() -> Bool {
        let result = annex_verity_enable(number)
        return result == 0 || verityDigest() != nil
    }

    /// The kernel's own digest of an enabled file, 32 bytes; nil if the file is not enabled.
    ///
    /// The digest is made of the file's blocks when verity is enabled, and reading it costs no time afterwards. Two files
    /// have the same one only if their contents are the same.
    package func verityDigest() -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 32)
        // SAFETY: the call writes at most 32 bytes, which is the size of the array, and keeps no pointer.
        let result = unsafe digest.withUnsafeMutableBufferPointer { room in
            unsafe room.baseAddress.map { unsafe annex_verity_measure(number, $0) } ?? -1
        }
        return result == 0 ? digest : nil
    }
}
