internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// The two kinds of loopback addresses.
enum LoopbackFamily: Int32, Sendable, CaseIterable {
    case four = 2
    case six = 10

    /// The families in the order in which a relay tries them, beginning with this one.
    var andOther: [LoopbackFamily] { [self] + Self.allCases.filter { $0 != self } }

    /// Whether an errno says that this kernel has no addresses of a family.
    static func isMissing(_ errno: Int32) -> Bool { errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL }
}

/// A TCP socket of a port's relay. No method waits.
final class PortSocket: Sendable {
    let descriptor: Descriptor
    /// The kind of address to which the socket can connect again; nil for a socket of one connection only.
    let pool: LoopbackFamily?

    init(owning descriptor: consuming Descriptor, pool: LoopbackFamily? = nil) {
        self.descriptor = descriptor
        self.pool = pool
    }

    /// A socket that listens at a port of this machine's loopback address.
    static func listening(at port: UInt16, _ family: LoopbackFamily) throws(SystemError) -> PortSocket {
        let made = try SystemError.check("listen", annex_port_listen(family.rawValue, port))
        return PortSocket(owning: Descriptor(owning: made))
    }

    /// A socket that begins to connect to a port of this machine; nil if that fails at once.
    static func connecting(to port: UInt16, _ family: LoopbackFamily) -> PortSocket? {
        let made = annex_port_socket(family.rawValue)
        guard made >= 0 else { return nil }
        let socket = PortSocket(owning: Descriptor(owning: made))
        return socket.begin(to: port, family) ? socket : nil
    }

    /// The next connection of a listening socket; nil if none waits.
    func accept() throws(SystemError) -> PortSocket? {
        let taken = annex_local_accept(descriptor.number)
        if taken == -EAGAIN { return nil }
        let socket = PortSocket(owning: Descriptor(owning: try SystemError.check("accept4", taken)))
        _ = annex_port_send_at_once(taken)
        return socket
    }

    /// Begins to connect. Returns false if that failed at once.
    func begin(to port: UInt16, _ family: LoopbackFamily) -> Bool {
        _ = annex_port_send_at_once(descriptor.number)
        let result = annex_port_connect(descriptor.number, family.rawValue, port)
        return result == 0 || result == -EINPROGRESS
    }

    /// Whether the peer has refused or reset the connection. The kernel gives this answer once.
    func hasFailed() -> Bool { annex_port_fault(descriptor.number) != 0 }

    /// Whether a begun connection exists by now.
    var isConnected: Bool { annex_port_is_connected(descriptor.number) == 1 }

    /// Sends some bytes. Returns how many, or a negative errno.
    func send(_ bytes: ArraySlice<UInt8>) -> Int {
        // SAFETY: the call reads exactly the bytes of the buffer.
        let sent = unsafe bytes.withUnsafeBytes { buffer in
            unsafe annex_port_send(descriptor.number, buffer.baseAddress, buffer.count)
        }
        return Int(sent)
    }

    /// Tells the peer that no more bytes come.
    func endSending() { _ = shutdown(descriptor.number, Int32(SHUT_WR)) }

    /// From now on, the close of the socket is an error for the peer, and not an end.
    func resetAtClose() { _ = annex_port_reset_at_close(descriptor.number) }

    /// Ends the connection, so that the socket can connect again. If bytes are under way, the peer sees an error.
    /// - Returns: false if the socket cannot be used again.
    func disconnect() -> Bool { annex_port_disconnect(descriptor.number) == 0 }

    /// Whether the peer has received all bytes that were sent.
    var isAllReceived: Bool { annex_port_unsent(descriptor.number) <= 0 }
}
