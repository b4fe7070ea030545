public import AnnexLinux
import Glibc

/// Connected sockets. The last close of a socket blocks until `letGo`, because the close waits for unread bytes to be
/// sent.
public final class LingeringSocket: Sendable {
    /// The socket is close-on-exec, so that a program that another test starts at the same time does not hold it.
    private static let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    private let listener: Int32

    public init() throws(SystemError) {
        listener = try SystemError.check("socket", socket(AF_INET, Self.kind, 0))
        _ = try SystemError.check("listen", listen(listener, 8))
    }

    /// Resets every connection.
    public func letGo() {
        close(listener)
    }

    public func open() throws(SystemError) -> Descriptor {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let made = try SystemError.check("socket", socket(AF_INET, Self.kind, 0))
        let result = withUnsafeMutablePointer(to: &address) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                getsockname(listener, place, &size)
                return connect(made, place, size)
            }
        }
        _ = try SystemError.check("connect", result)
        let bytes = [UInt8](repeating: 0, count: 65536)
        while send(made, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) > 0 {}
        var patience = linger(l_onoff: 1, l_linger: 3000)
        setsockopt(made, SOL_SOCKET, SO_LINGER, &patience, socklen_t(MemoryLayout<linger>.size))
        return Descriptor(owning: made)
    }
}
