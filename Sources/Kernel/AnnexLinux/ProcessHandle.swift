internal import CAnnexLinux
internal import Glibc

/// A process by pidfd: it can be signalled and watched without ever meeting another process of the same number.
///
/// The descriptor becomes readable when the process has ended.
package struct ProcessHandle: ~Copyable, Sendable {
    package let descriptor: Descriptor

    /// Wraps a pidfd that came from elsewhere, such as `clone3` or a peer's socket.
    package init(owning descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// Opens the process that has this number now. Safe only for own children that nobody has waited for.
    package init(process: Int32) throws(SystemError) {
        descriptor = Descriptor(owning: try SystemError.check("pidfd_open", annex_pidfd_open(process)))
    }

    /// - Throws: `ESRCH` where the process has ended and been waited for.
    package func sendSignal(_ signal: Int32) throws(SystemError) {
        _ = try SystemError.check("pidfd_send_signal", annex_pidfd_send_signal(descriptor.number, signal))
    }

    /// Whether it has ended, waited for or not.
    package var hasEnded: Bool { descriptor.isReadable() }

    /// A duplicate of a descriptor of that process; needs the right to trace it.
    package func getDescriptor(_ number: Int32) throws(SystemError) -> Descriptor {
        Descriptor(owning: try SystemError.check("pidfd_getfd", annex_pidfd_getfd(descriptor.number, number)))
    }
}
