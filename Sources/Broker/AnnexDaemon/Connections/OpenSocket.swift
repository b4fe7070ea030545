internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// A connection's socket until it is released. Closing it may take long, because its unread data may contain
/// descriptors of any kind. So it is closed on the lane of the user who sent that data.
final class OpenSocket: Sendable {
    /// The socket's number for the event loop's watch, which ends before the socket is released.
    let number: Int32
    private let socket: Mutex<ControlSocket?>
    private let closing: Lane

    init(_ socket: consuming ControlSocket, closing: Lane) {
        number = socket.descriptor.number
        self.socket = Mutex(socket)
        self.closing = closing
    }

    deinit {
        letGo()
    }

    /// - Throws: `EPIPE` also after the socket was released.
    func send(_ bytes: [UInt8]) throws(SystemError) {
        try socket.withLock { (socket) throws(SystemError) in
            guard try socket?.send(bytes) != nil else { throw SystemError("send", errno: EPIPE) }
        }
    }

    func receive(atMost most: Int) throws(SystemError) -> ControlReception {
        try socket.withLock { (socket) throws(SystemError) in try socket?.receive(atMost: most) ?? .end }
    }

    func setPassRights(_ accept: Bool) {
        socket.withLock { _ = $0?.setPassRights(accept) }
    }

    /// Shuts the socket down and closes it later, on the lane. The peer can still read what was sent. A second call has
    /// no effect.
    func letGo() {
        let number = socket.withLock { socket -> Int32? in
            guard let taken = socket.take() else { return nil }
            taken.shutDown()
            return taken.takeDescriptor().release()
        }
        guard let number else { return }
        closing.run { _ = Descriptor(owning: number) }
    }
}
