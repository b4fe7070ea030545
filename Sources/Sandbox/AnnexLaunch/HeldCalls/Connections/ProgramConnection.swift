internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// Makes a connection on behalf of a held `connect`.
///
/// A filter cannot read the address. If the broker only examined the address and let the kernel perform the call,
/// another thread or process could exchange the address in between. So the broker itself connects the program's socket
/// to the address that the broker has copied.
struct ProgramConnection: CallBoundHandler {
    private enum Stage {
        case new
        case taken
        /// The other machine has not answered yet. The next wait has this length.
        case begun(pause: Duration)
    }

    private enum Outcome: Hashable {
        case connected
        case failed(errno: Int32)
        /// No program may connect to the address.
        case barred(InternetAddress, InternetAddress.Barrier)
        /// The call waits until the other machine has answered.
        case waiting
    }

    static let withoutThread = CallStep.fail(errno: EAGAIN)
    /// The first and the longest wait before the broker looks at the connection. Each wait is twice as long as the wait
    /// before it, up to `longest`.
    private static let (first, longest) = (Duration.microseconds(500), Duration.milliseconds(16))

    private var stage = Stage.new

    mutating func handle(_ call: HeldCall, on listener: borrowing Descriptor) -> CallStep {
        switch stage {
        case .new:
            // The kernel may take long to begin a connection.
            stage = .taken
            return .again()
        case .taken: return wait(Self.first, after: Self.begin(call, on: listener), of: call)
        case .begun(let pause): return wait(pause, after: Self.look(call, on: listener), of: call)
        }
    }

    private mutating func wait(_ pause: Duration, after outcome: Outcome, of call: HeldCall) -> CallStep {
        switch outcome {
        case .connected: return .complete
        case .failed(let errno): return .fail(errno: errno)
        case .barred(let address, let barrier):
            let number = Int32(truncatingIfNeeded: call.arguments[0])
            return .deny(errno: EACCES, reason: barrier.rawValue, text: "connect(\(number), \(address.text))")
        case .waiting:
            stage = .begun(pause: min(pause * 2, Self.longest))
            return .again(at: MonotonicClock.deadline(after: pause))
        }
    }

    /// Mistakes of the program. The kernel's own `connect` would fail with the same errno.
    private static let mistakes = [EBADF, EFAULT, EINVAL, EAFNOSUPPORT, ENOTSOCK]

    /// Begins a connection. This function never waits, even if the program's socket is a blocking socket.
    private static func begin(_ call: HeldCall, on listener: borrowing Descriptor) -> Outcome {
        do throws(SystemError) {
            let socket = try socket(of: call, on: listener)
            guard try isOfTCP(socket) else { return .failed(errno: EOPNOTSUPP) }
            let address = try address(of: call, on: listener)
            if let barrier = barrier(before: address) { return .barred(address, barrier) }
            return connect(socket, to: address)
        } catch {
            return .failed(errno: mistakes.contains(error.errno) ? error.errno : EACCES)
        }
    }

    /// Checks whether a begun connection has been made.
    private static func look(_ call: HeldCall, on listener: borrowing Descriptor) -> Outcome {
        guard let socket = try? socket(of: call, on: listener) else { return .failed(errno: EBADF) }
        var watched = pollfd(fd: socket.number, events: Int16(POLLOUT), revents: 0)
        // SAFETY: the call reads and writes only the structure that it is given.
        if unsafe poll(&watched, 1, 0) > 0 {
            guard let failure = try? option(SO_ERROR, of: socket) else { return .failed(errno: EACCES) }
            return failure == 0 ? .connected : .failed(errno: failure)
        }
        return call.isDisturbed ? .failed(errno: EINTR) : .waiting
    }

    private static func socket(
        of call: HeldCall, on listener: borrowing Descriptor
    ) throws(SystemError) -> Descriptor {
        try call.descriptor(0, of: Caller(asking: call.thread).process ?? 0, on: listener)
    }

    private static func barrier(before address: InternetAddress) -> InternetAddress.Barrier? {
        let barrier = address.barrier ?? (OwnAddresses.include(address) ? .machine : nil)
        return barrier == .machine && Resolvers.include(address) ? nil : barrier
    }

    /// The address that the call's second argument points at. Like the kernel, this function reads only as many bytes
    /// as the call's third argument says. All of these bytes must be readable.
    private static func address(
        of call: HeldCall, on listener: borrowing Descriptor
    ) throws(SystemError) -> InternetAddress {
        let count = Int(UInt32(truncatingIfNeeded: call.arguments[2]))
        guard count >= 2, count <= InternetAddress.longest else { throw SystemError("connect", errno: EINVAL) }
        guard let bytes = call.memory(at: call.arguments[1], count: count), bytes.count == count,
            call.isHeld(on: listener)
        else { throw SystemError("connect", errno: EFAULT) }
        guard let address = InternetAddress(bytes) else { throw SystemError("connect", errno: EAFNOSUPPORT) }
        return address
    }

    private static func connect(_ socket: borrowing Descriptor, to address: InternetAddress) -> Outcome {
        let flags = fcntl(socket.number, F_GETFL)
        let isWaiting = flags & O_NONBLOCK == 0
        if isWaiting { _ = fcntl(socket.number, F_SETFL, flags | O_NONBLOCK) }
        let failure = address.connect(socket.number) == 0 ? 0 : errno
        if isWaiting { _ = fcntl(socket.number, F_SETFL, flags) }
        if failure == EINPROGRESS, isWaiting { return .waiting }
        return failure == 0 ? .connected : .failed(errno: failure)
    }

    /// Whether a descriptor is a TCP socket. A socket of another kind could reach a service of this machine.
    private static func isOfTCP(_ socket: borrowing Descriptor) throws(SystemError) -> Bool {
        let domain = try option(SO_DOMAIN, of: socket)
        guard domain == AF_INET || domain == AF_INET6 else { return false }
        return try option(SO_PROTOCOL, of: socket) == Int32(IPPROTO_TCP)
    }

    private static func option(_ name: Int32, of socket: borrowing Descriptor) throws(SystemError) -> Int32 {
        var value: Int32 = 0
        var count = socklen_t(MemoryLayout<Int32>.size)
        // SAFETY: the kernel writes at most `count` bytes of the number.
        let status = unsafe getsockopt(socket.number, SOL_SOCKET, name, &value, &count)
        _ = try SystemError.check("getsockopt", status == 0 ? 0 : -errno)
        return value
    }
}
