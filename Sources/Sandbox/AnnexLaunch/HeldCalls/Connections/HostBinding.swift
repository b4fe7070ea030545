internal import AnnexLinux
internal import AnnexNames
internal import AnnexPolicy
internal import Glibc

/// Answers a held `bind` or `listen` of a program that reaches named hosts.
///
/// The program has sockets of its own network, and sockets of this machine's network that the broker gave to it. Only
/// the first get an address, and only they listen: the others would take ports of this machine.
struct HostBinding: CallBoundHandler {
    static let withoutThread = CallStep.fail(errno: EAGAIN)

    /// Whether Landlock keeps the program from binding TCP sockets itself.
    let isGuarded: Bool
    private let routes: HostRoutes
    private var isNew = true
    private let pauses = ConnectPauses()

    init(by routes: HostRoutes, isGuarded: Bool) {
        self.routes = routes
        self.isGuarded = isGuarded
    }

    mutating func handle(_ call: HeldCall, on listener: borrowing Descriptor) -> CallStep {
        if isNew {
            isNew = false
            return .again()
        }
        do throws(SystemError) {
            guard let socket = try HeldSocket(of: call, on: listener, by: routes) else {
                return .again(at: pauses.moment())
            }
            if SystemCall(number: call.number)?.name == "listen" { return Self.listen(socket, of: call) }
            return try bind(socket, of: call, on: listener)
        } catch {
            return .fail(errno: ConnectCall.errno(for: error))
        }
    }

    private static func listen(_ socket: HeldSocket, of call: HeldCall) -> CallStep {
        guard socket.isInside || !socket.isOfInternet else { return .fail(errno: EINVAL) }
        let most = Int32(truncatingIfNeeded: call.arguments[1])
        return Glibc.listen(socket.descriptor.number, most) == 0 ? .complete : .fail(errno: errno)
    }

    /// The first port that needs no capability.
    private static let firstFree: UInt16 = 1_024

    private func bind(
        _ socket: HeldSocket, of call: HeldCall, on listener: borrowing Descriptor
    ) throws(SystemError) -> CallStep {
        // Sockets of other kinds get addresses that only the sandbox has, and that only the program's own call can
        // name.
        guard socket.isOfInternet else {
            return isGuarded ? .proceed : .deny(errno: EACCES, reason: HostConnection.unguarded)
        }
        let bytes = try ConnectCall.addressBytes(of: call, on: listener)
        guard socket.isInside else { return .fail(errno: EINVAL) }
        // The broker may have the capability that the program lacks.
        if let port = InternetAddress(bytes)?.port, port > 0, port < Self.firstFree { return .fail(errno: EACCES) }
        return ConnectCall.bind(socket.descriptor, to: bytes) ? .complete : .fail(errno: errno)
    }
}
