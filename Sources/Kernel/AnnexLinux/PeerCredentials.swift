internal import CAnnexLinux

/// The process, user and group that made the other end of a connection, as the kernel recorded them at that moment
/// (`SO_PEERCRED`).
package struct PeerCredentials: Sendable, Hashable {
    package let process: Int32
    package let user: UInt32
    package let group: UInt32

    package init(of socket: borrowing ControlSocket) throws(SystemError) {
        var process: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
        // SAFETY: the call writes three numbers and keeps no pointer.
        _ = try SystemError.check(
            "getsockopt(SO_PEERCRED)", unsafe annex_local_peer(socket.descriptor.number, &process, &user, &group))
        self.process = process
        self.user = user
        self.group = group
    }
}
