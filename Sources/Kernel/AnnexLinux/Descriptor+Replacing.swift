internal import CAnnexLinux
internal import Glibc

// Files that survive: under its name, a reader finds the old contents or the new ones and never a part of them, even if
// the writer is killed or the machine loses power. The bytes are written to a draft, which then gets the name.

extension Descriptor {
    /// Puts a new file in the place of a file of this directory, or under a free name.
    /// - Parameters:
    ///   - mode: the permissions of the new file, independent of the umask.
    ///   - draft: the name under which the bytes are written. If the writer is killed, a file of this name can stay. If
    ///     it is nil, no other writer uses the name. A fixed name is for a directory with one writer at a time, which
    ///     then replaces the draft of a killed one.
    ///   - isDurable: whether the new contents are on the disk when the call returns. If not, a machine that loses power
    ///     can lose the file.
    package func replace(
        _ name: String, with bytes: [UInt8], mode: UInt32 = 0o600, draft: String? = nil, isDurable: Bool = true
    ) throws(SystemError) {
        let draft = draft ?? Self.draftName(of: name)
        try write(bytes, toDraft: draft, mode: mode, isDurable: isDurable) { () throws(SystemError) in
            try rename(draft, to: name)
            if isDurable { try synchronize() }
        }
    }

    /// Makes a new file in this directory. The file is on the disk when the call returns.
    /// - Throws: `EEXIST` if the name is taken.
    package func createNew(
        _ name: String, with bytes: UnsafeRawBufferPointer, mode: UInt32 = 0o600
    ) throws(SystemError) {
        let draft = Self.draftName(of: name)
        // SAFETY: the caller's buffer outlives the call.
        try unsafe write(bytes, toDraft: draft, mode: mode) { () throws(SystemError) in
            try link(draft, as: name)
            try removeFile(draft)
            try synchronize()
        }
    }

    /// Writes bytes to a draft in this directory, and then lets `place` give it its name. If anything fails, the draft is
    /// removed.
    package func write(
        _ bytes: [UInt8], toDraft draft: String, mode: UInt32, isDurable: Bool = true,
        placing place: () throws(SystemError) -> Void
    ) throws(SystemError) {
        var failure: SystemError?
        unsafe bytes.withUnsafeBytes { buffer in
            do throws(SystemError) {
                // SAFETY: the array outlives the call.
                try unsafe write(buffer, toDraft: draft, mode: mode, isDurable: isDurable, placing: place)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer, toDraft draft: String, mode: UInt32, isDurable: Bool = true,
        placing place: () throws(SystemError) -> Void
    ) throws(SystemError) {
        let file = try newFile(draft)
        do throws(SystemError) {
            try file.setMode(mode)
            // SAFETY: the caller's buffer outlives the call.
            try unsafe file.writeAll(bytes)
            if isDurable { try file.synchronize() }
            try place()
        } catch {
            try? removeFile(draft)
            throw error
        }
    }

    /// Makes a file that nobody else can read. A file of this name was left by a writer that was killed.
    private func newFile(_ name: String) throws(SystemError) -> Descriptor {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        do throws(SystemError) {
            return try openBeneath(name, flags, mode: 0o600)
        } catch {
            guard error.errno == EEXIST else { throw error }
        }
        try removeFile(name)
        return try openBeneath(name, flags, mode: 0o600)
    }

    package static func draftName(of name: String) -> String {
        ".\(name).\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    }
}

// MARK: - Copies

extension Descriptor {
    /// Copies this file from its start into an empty file. If the file system can share the blocks of both files, it
    /// copies no bytes.
    /// - Returns: how many bytes the copy has, which is at most `most`.
    package func copy(to other: borrowing Descriptor, atMost most: UInt64) throws(SystemError) -> UInt64 {
        let result = annex_copy_file(number, other.number, most)
        guard result >= 0 else { throw SystemError("copy_file_range", errno: Int32(clamping: -result)) }
        return UInt64(result)
    }

    /// Whether no process has this file open for writing, and none has it mapped for writing. This descriptor is open
    /// for reading only, and the file belongs to the user of this process.
    /// - Returns: false also if the file system cannot say it.
    package var hasNoWriter: Bool { annex_has_no_writer(number) == 1 }
}
