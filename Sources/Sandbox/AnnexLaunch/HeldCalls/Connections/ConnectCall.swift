internal import AnnexLinux
internal import AnnexNames
internal import CAnnexLinux
internal import Glibc

/// What the broker does about a held `connect`: it copies the address, gets the program's socket, and connects without
/// waiting.
enum ConnectCall {
    /// The result of a connection that the broker began.
    enum Outcome: Hashable {
        case connected
        case failed(errno: Int32)
        /// The other machine has not answered, and the program waits for it.
        case waiting
    }

    /// Mistakes of the program. The kernel's own `connect` would fail with the same errno.
    private static let mistakes = [EBADF, EFAULT, EINVAL, EAFNOSUPPORT, ENOTSOCK]

    /// The errno for a call that the broker could not examine.
    static func errno(for error: SystemError) -> Int32 { mistakes.contains(error.errno) ? error.errno : EACCES }

    /// A socket of the program, and the process that made the call.
    struct Socket: ~Copyable {
        let descriptor: Descriptor
        let process: UInt32
    }

    /// The program's socket. It stays the same one, even if the program replaces its descriptor meanwhile.
    static func socket(of call: HeldCall, on listener: borrowing Descriptor) throws(SystemError) -> Descriptor {
        let found = try socketAndProcess(of: call, on: listener)
        return found.descriptor
    }

    /// The program's socket, and the process that made the call.
    static func socketAndProcess(
        of call: HeldCall, on listener: borrowing Descriptor
    ) throws(SystemError) -> Socket {
        do throws(SystemError) {
            // The first thread of a process has the number of the process. Most calls come from such a thread.
            return Socket(descriptor: try call.descriptor(0, of: call.thread, on: listener), process: call.thread)
        } catch {
            // What the kernels say about other threads.
            guard [EINVAL, ENOENT].contains(error.errno) else { throw error }
        }
        let process = Caller(asking: call.thread).process ?? 0
        return Socket(descriptor: try call.descriptor(0, of: process, on: listener), process: process)
    }

    /// The bytes that the call's second argument points at. Like the kernel, this function reads only as many bytes as
    /// the call's third argument says. All of these bytes must be readable.
    static func addressBytes(
        of call: HeldCall, on listener: borrowing Descriptor
    ) throws(SystemError) -> [UInt8] {
        let count = Int(UInt32(truncatingIfNeeded: call.arguments[2]))
        guard count >= 2, count <= InternetAddress.longest else { throw SystemError("connect", errno: EINVAL) }
        guard let bytes = call.memory(at: call.arguments[1], count: count), bytes.count == count,
            call.isHeld(on: listener)
        else { throw SystemError("connect", errno: EFAULT) }
        return bytes
    }

    static func address(
        of call: HeldCall, on listener: borrowing Descriptor
    ) throws(SystemError) -> InternetAddress {
        let bytes = try addressBytes(of: call, on: listener)
        guard let address = InternetAddress(bytes) else { throw SystemError("connect", errno: EAFNOSUPPORT) }
        return address
    }

    /// Connects a socket of the program. This function never waits, even if the socket is a blocking one.
    static func begin(_ socket: borrowing Descriptor, to address: InternetAddress) -> Outcome {
        let flags = fcntl(socket.number, F_GETFL)
        let isWaiting = flags & O_NONBLOCK == 0
        if isWaiting { _ = fcntl(socket.number, F_SETFL, flags | O_NONBLOCK) }
        let failure = address.connect(socket.number) == 0 ? 0 : Glibc.errno
        if isWaiting { _ = fcntl(socket.number, F_SETFL, flags) }
        if failure == EINPROGRESS, isWaiting { return .waiting }
        return failure == 0 ? .connected : .failed(errno: failure)
    }

    /// Gives a socket its own address. If the result is false, `errno` says why.
    static func bind(_ socket: borrowing Descriptor, to address: [UInt8]) -> Bool {
        // SAFETY: the kernel reads the bytes of the array, and keeps none.
        unsafe address.withUnsafeBytes { bytes in
            unsafe Glibc.bind(
                socket.number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
        }
    }

    /// What a `connect` answers on a socket that is connected or connects already, as the kernel answers it; nil if the
    /// socket can connect.
    static func repetition(on socket: borrowing Descriptor) -> Outcome? {
        switch annex_host_state(socket.number) {
        // TCP_ESTABLISHED. The first repetition says that the connection was made.
        case 1:
            let result = annex_host_repeat(socket.number)
            return result == 0 ? .connected : .failed(errno: -result)
        // TCP_SYN_SENT, TCP_SYN_RECV.
        case 2, 3: return .failed(errno: EALREADY)
        // TCP_CLOSE.
        case 7:
            let failure = (try? option(SO_ERROR, of: socket)) ?? EACCES
            return failure == 0 ? nil : .failed(errno: failure)
        default: return .failed(errno: EISCONN)
        }
    }

    /// When a call stops to wait, in the time of `MonotonicClock`, because of `SO_SNDTIMEO`; nil if it waits for as
    /// long as it takes.
    static func end(of socket: borrowing Descriptor) -> UInt64? {
        let patience = annex_host_patience(socket.number)
        return patience > 0 ? MonotonicClock.deadline(after: .microseconds(patience)) : nil
    }

    /// Ends a connection, so that the socket can connect again.
    static func disconnect(_ socket: borrowing Descriptor) -> Outcome {
        let result = annex_port_disconnect(socket.number)
        return result == 0 ? .connected : .failed(errno: -result)
    }

    /// Whether a begun connection has been made.
    /// - Parameter moment: how long to wait for it, in milliseconds.
    static func look(at socket: borrowing Descriptor, of call: HeldCall, within moment: Int32 = 0) -> Outcome {
        var watched = pollfd(fd: socket.number, events: Int16(POLLOUT), revents: 0)
        // SAFETY: the call reads and writes only the structure that it is given.
        if unsafe poll(&watched, 1, moment) > 0 {
            guard let failure = try? option(SO_ERROR, of: socket) else { return .failed(errno: EACCES) }
            // The program's call says that the connection was made, so that no further one does.
            if failure == 0 { _ = annex_host_repeat(socket.number) }
            return failure == 0 ? .connected : .failed(errno: failure)
        }
        return call.isDisturbed ? .failed(errno: EINTR) : .waiting
    }

    /// The family of a socket, and whether it is one of TCP.
    static func kind(of socket: borrowing Descriptor) throws(SystemError) -> (family: Int32, isTCP: Bool) {
        let family = try option(SO_DOMAIN, of: socket)
        let isInternet = family == AF_INET || family == AF_INET6
        guard isInternet else { return (family, false) }
        return (family, try option(SO_PROTOCOL, of: socket) == Int32(IPPROTO_TCP))
    }

    /// `SO_NETNS_COOKIE`: the number of the network in which a socket was made. No other network has it until the
    /// machine starts anew.
    static func network(of socket: borrowing Descriptor) throws(SystemError) -> UInt64 {
        var value: UInt64 = 0
        var count = socklen_t(MemoryLayout<UInt64>.size)
        // SAFETY: the kernel writes at most `count` bytes of the number.
        let status = unsafe getsockopt(socket.number, SOL_SOCKET, 71, &value, &count)
        _ = try SystemError.check("getsockopt(SO_NETNS_COOKIE)", status == 0 ? 0 : -Glibc.errno)
        return value
    }

    static func option(_ name: Int32, of socket: borrowing Descriptor) throws(SystemError) -> Int32 {
        var value: Int32 = 0
        var count = socklen_t(MemoryLayout<Int32>.size)
        // SAFETY: the kernel writes at most `count` bytes of the number.
        let status = unsafe getsockopt(socket.number, SOL_SOCKET, name, &value, &count)
        _ = try SystemError.check("getsockopt", status == 0 ? 0 : -Glibc.errno)
        return value
    }
}

/// The waits between two looks at a connection. Each wait is an eighth of the time until then, within bounds. So the
/// program learns of the connection at most an eighth later than without a broker, beside what the looks themselves take.
struct ConnectPauses: Hashable {
    private static let (shortest, longest) = (Duration.microseconds(100), Duration.milliseconds(16))
    private let begun: UInt64

    /// - Parameter begun: when the connection began, in the time of `MonotonicClock`.
    init(since begun: UInt64 = MonotonicClock.now()) { self.begun = begun }

    /// When to look again.
    /// - Parameter now: the present time.
    func moment(at now: UInt64 = MonotonicClock.now()) -> UInt64 {
        let eighth = (now > begun ? now - begun : 0) / 8
        let (least, most) = (MonotonicClock.nanoseconds(Self.shortest), MonotonicClock.nanoseconds(Self.longest))
        return now &+ min(max(eighth, least), most)
    }
}
