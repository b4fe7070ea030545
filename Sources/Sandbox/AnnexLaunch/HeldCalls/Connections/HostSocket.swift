internal import AnnexLinux
internal import AnnexNames
internal import AnnexRelay
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// A TCP socket of the broker's network for one connection of a program to another machine.
///
/// The kernel drops all packets to the socket but those of this machine and port, and nobody can change that. The
/// broker binds no such socket for the program and lets none listen, so it takes no port of this machine.
final class HostSocket: Sendable {
    private let descriptor: Descriptor
    let address: InternetAddress
    /// The flags of the program's socket, such as `O_NONBLOCK`.
    private let flags: Int32
    /// The machine has answered.
    let answered = CallEvent()
    private let watch = Mutex<EventLoop.Watch?>(nil)

    /// A socket with the settings of a program's socket.
    /// - Parameter fresh: a new socket of the program's network. Only settings in which both differ are the program's.
    init(
        to address: InternetAddress, like socket: borrowing Descriptor, unlike fresh: RelaySocket?
    ) throws(SystemError) {
        let family = try ConnectCall.option(SO_DOMAIN, of: socket)
        // SAFETY: the call reads the bytes and keeps none.
        let made = unsafe address.bytes.withUnsafeBytes { bytes in
            unsafe annex_host_socket(family, bytes.baseAddress, bytes.count)
        }
        descriptor = Descriptor(owning: try SystemError.check("socket", made))
        self.address = address
        flags = fcntl(socket.number, F_GETFL)
        let usual = fresh?.descriptor.number ?? descriptor.number
        _ = try SystemError.check("setsockopt", annex_host_copy_settings(socket.number, descriptor.number, usual))
    }

    deinit { endWatch() }

    private var isWaitedFor: Bool { flags & O_NONBLOCK == 0 }

    /// Begins to connect. For a program that does not wait, `EINPROGRESS` is the outcome of a good beginning.
    func begin(of call: HeldCall) -> ConnectCall.Outcome {
        if address.connect(descriptor.number) == 0 { return .connected }
        let failure = errno
        guard failure == EINPROGRESS, isWaitedFor else { return .failed(errno: failure) }
        // The answer of a near machine comes sooner than another look would.
        let outcome = ConnectCall.look(at: descriptor, of: call, within: 1)
        if outcome == .waiting { beginWatch() }
        return outcome
    }

    /// Without a watch, the connection is looked at from time to time.
    private func beginWatch() {
        let begun = try? AnswerLoop.shared().watchStream(descriptor.number) { [answered] in answered.happen() }
        watch.withLock { $0 = begun }
    }

    private func endWatch() { watch.withLock { $0.take() }?.cancel() }

    func look(of call: HeldCall) -> ConnectCall.Outcome { ConnectCall.look(at: descriptor, of: call) }

    /// Puts the socket in the place of the program's socket.
    func replace(in call: HeldCall, on listener: borrowing Descriptor) throws(SystemError) {
        endWatch()
        _ = fcntl(descriptor.number, F_SETFL, flags)
        let number = Int32(truncatingIfNeeded: call.arguments[0])
        let exchanged = annex_notification_exchange(
            listener.number, call.id, descriptor.number, number, Self.closesAtExec(number, of: call) ? 1 : 0)
        _ = try SystemError.check("SECCOMP_IOCTL_NOTIF_ADDFD", exchanged)
    }

    /// Whether the program's descriptor is closed when the program executes another one. This belongs to the descriptor
    /// and not to the socket.
    private static func closesAtExec(_ number: Int32, of call: HeldCall) -> Bool {
        let text = TextFile.read("\(ProcNumber.folder(of: call.thread))/fdinfo/\(number)")
        let flags = text.flatMap { TextFile.field("flags", in: $0) }.flatMap { Int32($0, radix: 8) }
        return flags.map { $0 & O_CLOEXEC != 0 } ?? true
    }

    /// Ends the connection, whatever holds the socket.
    func end() { _ = shutdown(descriptor.number, Int32(SHUT_RDWR)) }

    /// Whether a socket is of TCP and has a filter that cannot be changed. A program makes no such socket.
    static func isOne(_ socket: borrowing Descriptor) -> Bool {
        let lockFilter: Int32 = 44
        guard let kind = try? ConnectCall.kind(of: socket), kind.isTCP else { return false }
        return (try? ConnectCall.option(lockFilter, of: socket)) == 1
    }

    /// The machine at the other end of a connection; nil if there is no connection.
    static func peer(of socket: borrowing Descriptor) -> InternetAddress? {
        var bytes = [UInt8](repeating: 0, count: InternetAddress.longest)
        var size = socklen_t(bytes.count)
        // SAFETY: the kernel writes at most the array's size.
        let result = unsafe bytes.withUnsafeMutableBytes { room in
            unsafe getpeername(socket.number, room.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
        }
        return result == 0 ? InternetAddress(Array(bytes.prefix(Int(size)))) : nil
    }
}
