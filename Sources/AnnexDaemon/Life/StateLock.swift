package import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// The right to a state folder: one daemon at a time. Ends with its process, whatever ends that.
package struct StateLock: ~Copyable, Sendable {
    private let file: Descriptor

    /// Makes the folder where it is missing.
    /// - Throws: `EBUSY` where another daemon has it.
    package init(on state: String) throws(SystemError) {
        try Descriptor.makeDirectories(state, mode: 0o700)
        try Descriptor.directory(state).checkOwn(state)
        let file = try Descriptor.open("\(state)/lock", O_RDWR | O_CREAT, mode: 0o600)
        let locked = annex_lock_byte(file.number, 0, 1)
        guard locked >= 0 else {
            throw SystemError(
                "lock", errno: locked == -EAGAIN ? EBUSY : -locked, path: state,
                mend: "another daemon has this state: end it first, or name another folder by --state")
        }
        self.file = file
    }
}
