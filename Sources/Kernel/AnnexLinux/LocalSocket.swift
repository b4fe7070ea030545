internal import CAnnexLinux
internal import Glibc

/// Named Unix sockets that preserve message boundaries. A daemon listens on a socket, and its clients connect to this
/// socket.
package enum LocalSocket {
    /// Creates a listening socket at a path that does not exist yet.
    /// - Parameter mode: the socket's permissions, which decide which users may connect.
    package static func listen(at path: String, mode: UInt32) throws(SystemError) -> Descriptor {
        Descriptor(
            owning: try SystemError.check(
                "listen", path: path,
                unsafe path.withCString {
                    unsafe annex_local_listen($0, mode)
                }))
    }

    /// Gives a listening socket that another program made a queue of connections as short as that of `listen`.
    package static func boundQueue(of listener: borrowing Descriptor) throws(SystemError) {
        _ = try SystemError.check("listen", annex_local_bound(listener.number))
    }

    /// Accepts the next waiting connection. Returns nil if no connection is waiting.
    package static func accept(from listener: borrowing Descriptor) throws(SystemError) -> ControlSocket? {
        let taken = annex_local_accept(listener.number)
        if taken == -EAGAIN { return nil }
        return ControlSocket(owning: Descriptor(owning: try SystemError.check("accept4", taken)))
    }

    /// Connects to the socket that listens at a path.
    /// - Parameters:
    ///   - patience: how long to wait for a listener whose queue of connections is full.
    ///   - forThread: whether a thread waits in the socket's calls. If false, an event loop watches the socket.
    package static func connect(
        to path: String, patience: Duration, forThread: Bool = false
    ) throws(SystemError) -> ControlSocket {
        let milliseconds = UInt32(clamping: max(1, MonotonicClock.nanoseconds(patience) / 1_000_000))
        let made = unsafe path.withCString { unsafe annex_local_connect($0, milliseconds) }
        let socket = Descriptor(owning: try SystemError.check("connect", path: path, made))
        if !forThread { try socket.stopBlocking() }
        return ControlSocket(owning: socket)
    }

    /// Whether a descriptor is a listening socket of this kind. The check does not touch a file system.
    package static func isListener(_ descriptor: borrowing Descriptor) -> Bool {
        annex_local_is_listener(descriptor.number) == 1
    }

    /// Whether a descriptor is a connected socket of this kind. The check does not touch a file system.
    package static func isControl(_ descriptor: borrowing Descriptor) -> Bool {
        annex_local_is_control(descriptor.number) == 1
    }

    /// Sends one datagram to a path, or to an abstract name that begins with `@`.
    package static func sendDatagram(_ text: String, to path: String) throws(SystemError) {
        let bytes = Array(text.utf8)
        // SAFETY: the call reads exactly the bytes of the buffer.
        let sent = unsafe bytes.withUnsafeBytes { buffer in
            unsafe path.withCString { unsafe annex_local_datagram($0, buffer.baseAddress, buffer.count) }
        }
        _ = try SystemError.check("sendto", path: path, sent)
    }
}

/// The process, user and group that created the other end of a connection. The kernel recorded these numbers when the
/// other end was created (`SO_PEERCRED`).
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
