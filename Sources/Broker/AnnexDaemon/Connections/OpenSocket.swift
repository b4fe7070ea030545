internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// A connection's socket until it is let go of. What lies in it unread may be anything, so that its close may last: it
/// is done on the lane of whoever sent that.
final class OpenSocket: Sendable {
    /// For a watch, which ends before the socket is let go of.
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

    /// - Throws: `EPIPE` also once it was let go of.
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

    /// What was sent through it can still be read at the other end. Once is enough, twice is harmless.
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
