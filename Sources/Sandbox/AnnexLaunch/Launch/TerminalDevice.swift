internal import AnnexLinux
internal import Glibc

/// The file that the sandbox shows as `/dev/tty`.
///
/// This file is the sandbox's own terminal, so the launching process can see when the program opens it. The kernel's
/// own `/dev/tty` leads to the same terminal, but it is one file for the terminals of all processes.
struct TerminalDevice: ~Copyable {
    static let place = "/dev/tty"

    /// Nil if the terminal has no path in this process's mount namespace, or if the program could not open it.
    private let own: Descriptor?

    /// - Parameter group: the group as which the program runs.
    init(_ terminal: borrowing Descriptor, group: UInt32) {
        own = try? Self.reference(to: terminal, group: group)
    }

    private static func reference(to terminal: borrowing Descriptor, group: UInt32) throws(SystemError) -> Descriptor? {
        let status = try terminal.status()
        let named = try Descriptor.reference(to: terminal.path()).status()
        guard (named.device, named.inode) == (status.device, status.inode) else { return nil }
        if geteuid() == 0, status.group != group {
            // The program runs as another user, and gets access to the terminal through the terminal's group. That
            // user does not become the owner, because an owner could let other users of this machine open the
            // terminal.
            try terminal.setOwner(.max, group: group)
            try terminal.setMode(0o660)
        }
        return try Descriptor.reference(to: "/proc/self/fd/\(terminal.number)")
    }

    /// The file to show.
    consuming func takeFile() throws(SystemError) -> Descriptor {
        if let own = consume own { return own }
        return try Descriptor.reference(to: Self.place)
    }
}

extension SandboxConfiguration {
    /// What the sandbox shows as `/dev/tty`; nil if the program has no terminal.
    borrowing func terminalDevice(group: UInt32) -> TerminalDevice? {
        switch terminal {
        case .some(let terminal): TerminalDevice(terminal, group: group)
        case .none: nil
        }
    }
}
