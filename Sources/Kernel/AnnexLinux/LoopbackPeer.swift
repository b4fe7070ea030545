internal import CAnnexLinux
internal import Glibc

/// The other end of a TCP connection within this machine.
package enum LoopbackPeer {
    /// The user whose process has the other end of a connection between two ports of 127.0.0.1. The kernel looks up
    /// only this connection, so the time does not depend on the number of connections.
    /// - Parameters:
    ///   - port: the port of the other end.
    ///   - target: the port of this process.
    /// - Returns: nil if no process has the other end any more.
    package static func user(from port: UInt16, to target: UInt16) throws(SystemError) -> UInt32? {
        var user: UInt32 = 0
        // SAFETY: the call writes one number and keeps no pointer.
        let result = unsafe annex_loopback_user(port, target, &user)
        if result == -ENOENT { return nil }
        _ = try SystemError.check("sock_diag", result)
        return user
    }
}
