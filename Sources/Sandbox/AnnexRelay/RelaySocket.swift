package import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// The two kinds of loopback addresses.
package enum LoopbackFamily: Int32, Sendable, CaseIterable {
    case four = 2
    case six = 10

    /// The families in the order in which a relay tries them, beginning with this one.
    package var andOther: [LoopbackFamily] { [self] + Self.allCases.filter { $0 != self } }

    /// Whether an errno says that this kernel has no addresses of a family.
    package static func isMissing(_ errno: Int32) -> Bool { errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL }
}

/// A TCP socket of a relay. No method waits.
package final class RelaySocket: Sendable {
    package let descriptor: Descriptor
    /// The kind of address to which the socket can connect again; nil for a socket of one connection only.
    package let pool: LoopbackFamily?

    package init(owning descriptor: consuming Descriptor, pool: LoopbackFamily? = nil) {
        self.descriptor = descriptor
        self.pool = pool
    }

    /// A socket that listens at a port of this machine's loopback address.
    package static func listening(at port: UInt16, _ family: LoopbackFamily) throws(SystemError) -> RelaySocket {
        let made = try SystemError.check("listen", annex_port_listen(family.rawValue, port))
        return RelaySocket(owning: Descriptor(owning: made))
    }

    /// A new socket of this machine's network.
    package static func new(_ family: LoopbackFamily) throws(SystemError) -> RelaySocket {
        RelaySocket(owning: Descriptor(owning: try SystemError.check("socket", annex_port_socket(family.rawValue))))
    }

    /// A socket that begins to connect to a port of this machine; nil if that fails at once.
    package static func connecting(to port: UInt16, _ family: LoopbackFamily) -> RelaySocket? {
        let made = annex_port_socket(family.rawValue)
        guard made >= 0 else { return nil }
        let socket = RelaySocket(owning: Descriptor(owning: made))
        return socket.begin(to: port, family) ? socket : nil
    }

    /// The next connection of a listening socket; nil if none waits.
    package func accept() throws(SystemError) -> RelaySocket? {
        let taken = annex_local_accept(descriptor.number)
        if taken == -EAGAIN { return nil }
        let socket = RelaySocket(owning: Descriptor(owning: try SystemError.check("accept4", taken)))
        _ = annex_port_send_at_once(taken)
        return socket
    }

    /// Begins to connect. Returns false if that failed at once.
    package func begin(to port: UInt16, _ family: LoopbackFamily) -> Bool {
        _ = annex_port_send_at_once(descriptor.number)
        let result = annex_port_connect(descriptor.number, family.rawValue, port)
        return result == 0 || result == -EINPROGRESS
    }

    /// Whether the peer has refused or reset the connection. The kernel gives this answer once.
    package func hasFailed() -> Bool { annex_port_fault(descriptor.number) != 0 }

    /// The errno of a failed connection; 0 if it has not failed. The kernel gives this answer once.
    package func fault() -> Int32 { annex_port_fault(descriptor.number) }

    /// Whether a begun connection exists by now.
    package var isConnected: Bool { annex_port_is_connected(descriptor.number) == 1 }

    /// Sends some bytes. Returns how many, or a negative errno.
    package func send(_ bytes: ArraySlice<UInt8>) -> Int {
        // SAFETY: the call reads exactly the bytes of the buffer.
        let sent = unsafe bytes.withUnsafeBytes { buffer in
            unsafe annex_port_send(descriptor.number, buffer.baseAddress, buffer.count)
        }
        return Int(sent)
    }

    /// Joins this socket with a socket of the program, which then is connected as if a server had accepted it.
    ///
    /// Both sockets connect to each other, so neither has to listen. The program's socket begins first (`awaitPeer`).
    /// What refuses its connection meanwhile does not reach it.
    package func beginJoining(_ other: borrowing Descriptor, family: LoopbackFamily) throws(SystemError) {
        _ = try SystemError.check("setsockopt(SO_DETACH_FILTER)", annex_port_hear(other.number))
        let port = try SystemError.check("getsockname", annex_port_own(other.number))
        let result = annex_port_connect(descriptor.number, family.rawValue, UInt16(truncatingIfNeeded: port))
        if result != 0, result != -EINPROGRESS { throw SystemError("connect", errno: -result) }
    }

    /// Binds this socket, which is in the sandbox's network, to a port.
    package func bind(_ family: LoopbackFamily) throws(SystemError) -> UInt16 {
        UInt16(truncatingIfNeeded: try SystemError.check("bind", annex_port_bind(descriptor.number, family.rawValue)))
    }

    /// The port to which this socket is bound.
    package func ownPort() throws(SystemError) -> UInt16 {
        UInt16(truncatingIfNeeded: try SystemError.check("getsockname", annex_port_own(descriptor.number)))
    }

    /// Lets a socket of the program begin to connect to the port of a socket that will join it.
    package static func awaitPeer(
        _ socket: borrowing Descriptor, at port: UInt16, family: LoopbackFamily
    ) throws(SystemError) {
        _ = try SystemError.check("setsockopt(SO_ATTACH_FILTER)", annex_port_deafen(socket.number))
        let flags = fcntl(socket.number, F_GETFL)
        if flags & O_NONBLOCK == 0 { _ = fcntl(socket.number, F_SETFL, flags | O_NONBLOCK) }
        let result = annex_port_connect(socket.number, family.rawValue, port)
        if flags & O_NONBLOCK == 0 { _ = fcntl(socket.number, F_SETFL, flags) }
        if result != 0, result != -EINPROGRESS {
            _ = annex_port_hear(socket.number)
            throw SystemError("connect", errno: -result)
        }
    }

    /// Tells the peer that no more bytes come.
    package func endSending() { _ = shutdown(descriptor.number, Int32(SHUT_WR)) }

    /// From now on, the close of the socket is an error for the peer, and not an end.
    package func resetAtClose() { _ = annex_port_reset_at_close(descriptor.number) }

    /// Ends the connection, so that the socket can connect again. If bytes are under way, the peer sees an error.
    /// - Returns: false if the socket cannot be used again.
    package func disconnect() -> Bool { annex_port_disconnect(descriptor.number) == 0 }

    /// Whether the peer has received all bytes that were sent.
    package var isAllReceived: Bool { annex_port_unsent(descriptor.number) <= 0 }
}
