internal import CAnnexLinux
internal import Glibc

/// A process that this value identifies by its pidfd. Signals and waits through the pidfd can never reach another
/// process that reuses the number.
///
/// The descriptor becomes readable when the process has ended.
package struct ProcessHandle: ~Copyable, Sendable {
    package let descriptor: Descriptor

    /// Wraps an existing pidfd, for example from `clone3` or a peer's socket.
    package init(owning descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// Opens the process that has this number now. This is safe only for unreaped children of this process.
    package init(process: Int32) throws(SystemError) {
        descriptor = Descriptor(owning: try SystemError.check("pidfd_open", annex_pidfd_open(process)))
    }

    /// Sends a signal.
    /// - Throws: `ESRCH` if the process has ended and been reaped.
    package func sendSignal(_ signal: Int32) throws(SystemError) {
        _ = try SystemError.check("pidfd_send_signal", annex_pidfd_send_signal(descriptor.number, signal))
    }

    /// Whether the process has ended, reaped or not.
    package var hasEnded: Bool { descriptor.isReadable() }

    /// A number that the kernel gives no other process until the machine restarts. Nil before Linux 6.9.
    package var identity: UInt64? {
        let found = annex_process_identity(descriptor.number)
        return found == 0 ? nil : found
    }

    /// Duplicates a descriptor of that process. The caller needs the right to trace the process.
    package func getDescriptor(_ number: Int32) throws(SystemError) -> Descriptor {
        Descriptor(owning: try SystemError.check("pidfd_getfd", annex_pidfd_getfd(descriptor.number, number)))
    }
}

/// A process that kills another process at a deadline. It is for a caller that may itself be stopped before the
/// deadline. The stand-in ends with this value, and with the thread that created it.
package struct StandIn: ~Copyable {
    private let process: Int32

    /// - Parameter deadline: a time of `MonotonicClock`.
    package init(ending other: borrowing ProcessHandle, at deadline: UInt64) throws(SystemError) {
        process = try SystemError.check("fork", annex_stand_in(other.descriptor.number, deadline))
    }

    deinit { annex_dismiss(process) }
}

/// Processes whose parent has ended.
package enum Orphans {
    /// Makes this process the parent of its orphaned descendants, for as long as it lives. Otherwise init becomes their
    /// parent, and in many containers init never reaps its children. Use this only in a program that reaps the orphans
    /// itself.
    package static func adopt() throws(SystemError) {
        _ = try SystemError.check("prctl(PR_SET_CHILD_SUBREAPER)", annex_adopt_orphans())
    }
}

/// Faults of this process: invalid addresses, traps and invalid instructions.
package enum Faults {
    /// From now on, each fault reports its place in the code. The report is a harmless system call, which the
    /// sandbox's listener sees.
    ///
    /// The process then ends as it would have without the report. A handler that already exists, or that is installed
    /// later, has precedence.
    package static func tell() {
        annex_tell_of_faults()
    }
}

/// The environment variables of the user who started this program.
package enum UserEnvironment {
    /// A variable of the environment. Nil if the program runs with more rights than the user who started it. Otherwise
    /// this user could choose the files that the program writes with its own rights.
    package static func variable(_ name: String) -> String? {
        guard getuid() == geteuid(), getgid() == getegid(), let value = unsafe getenv(name) else { return nil }
        // SAFETY: the text is copied before anything can change the environment.
        return unsafe String(cString: value)
    }

    /// The absolute path in a variable. Nil if the path is relative, because the XDG base directory specification
    /// ignores relative paths.
    package static func path(_ name: String) -> String? {
        variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
