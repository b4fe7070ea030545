internal import AnnexLinux
internal import AnnexNames
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
        /// The other machine has not answered yet.
        case begun
    }

    private enum Outcome: Hashable {
        case begun(ConnectCall.Outcome)
        /// The program may not connect to the address.
        case barred(InternetAddress, reason: String)
    }

    static let withoutThread = CallStep.fail(errno: EAGAIN)

    private var stage = Stage.new
    private let pauses = ConnectPauses()
    private let isAllowed: @Sendable (InternetAddress) -> Bool

    /// - Parameter isAllowed: which connections the broker makes; nil for all that the policy allows.
    init(where isAllowed: (@Sendable (InternetAddress) -> Bool)? = nil) { self.isAllowed = isAllowed ?? { _ in true } }

    mutating func handle(_ call: HeldCall, on listener: borrowing Descriptor) -> CallStep {
        switch stage {
        case .new:
            // The kernel may take long to begin a connection.
            stage = .taken
            return .again()
        case .taken: return step(after: begin(call, on: listener), of: call)
        case .begun: return step(after: .begun(Self.look(call, on: listener)), of: call)
        }
    }

    private mutating func step(after outcome: Outcome, of call: HeldCall) -> CallStep {
        switch outcome {
        case .begun(.connected): return .complete
        case .begun(.failed(let errno)): return .fail(errno: errno)
        case .barred(let address, let reason):
            let number = Int32(truncatingIfNeeded: call.arguments[0])
            return .deny(errno: EACCES, reason: reason, text: "connect(\(number), \(address.text))")
        case .begun(.waiting):
            stage = .begun
            return .again(at: pauses.moment())
        }
    }

    /// Begins a connection. This function never waits, even if the program's socket is a blocking socket.
    private func begin(_ call: HeldCall, on listener: borrowing Descriptor) -> Outcome {
        do throws(SystemError) {
            let socket = try ConnectCall.socket(of: call, on: listener)
            // A socket of another kind could reach a service of this machine.
            guard try ConnectCall.kind(of: socket).isTCP else { return .begun(.failed(errno: EOPNOTSUPP)) }
            let address = try ConnectCall.address(of: call, on: listener)
            if let barrier = Self.barrier(before: address) { return .barred(address, reason: barrier.rawValue) }
            guard isAllowed(address) else { return .barred(address, reason: "the broker has not named this machine") }
            return .begun(ConnectCall.begin(socket, to: address))
        } catch {
            return .begun(.failed(errno: ConnectCall.errno(for: error)))
        }
    }

    /// Checks whether a begun connection has been made.
    private static func look(_ call: HeldCall, on listener: borrowing Descriptor) -> ConnectCall.Outcome {
        guard let socket = try? ConnectCall.socket(of: call, on: listener) else { return .failed(errno: EBADF) }
        return ConnectCall.look(at: socket, of: call)
    }

    private static func barrier(before address: InternetAddress) -> InternetAddress.Barrier? {
        let barrier = address.barrier ?? (OwnAddresses.include(address) ? .machine : nil)
        return barrier == .machine && Resolvers.include(address) ? nil : barrier
    }
}
