internal import AnnexLinux
internal import Glibc

/// The socket of a held call, as the broker found it when it first looked. The program can put another one in its place
/// meanwhile, but the broker goes on with this one.
final class HeldSocket: Sendable {
    let descriptor: Descriptor
    /// The process of the call.
    let process: UInt32
    let family: Int32
    let isTCP: Bool
    /// Whether it is in the sandbox's own network.
    let isInside: Bool
    /// When the call stops to wait, in the time of `MonotonicClock`; nil if it waits for as long as it takes.
    let end: UInt64?

    /// - Returns: nil if the sandbox's own network is not known yet.
    init?(of call: HeldCall, on listener: borrowing Descriptor, by routes: HostRoutes) throws(SystemError) {
        let socket = try ConnectCall.socketAndProcess(of: call, on: listener)
        process = socket.process
        descriptor = socket.descriptor
        (family, isTCP) = try ConnectCall.kind(of: descriptor)
        guard let isInside = try routes.isInside(descriptor) else { return nil }
        self.isInside = isInside
        end = isTCP ? ConnectCall.end(of: descriptor) : nil
    }

    var isOfInternet: Bool { family == AF_INET || family == AF_INET6 }
    var isWaitedFor: Bool { fcntl(descriptor.number, F_GETFL) & O_NONBLOCK == 0 }
    /// Whether the call has waited for as long as the program wants to wait.
    var hasTimedOut: Bool { end.map { MonotonicClock.now() >= $0 } ?? false }
}
