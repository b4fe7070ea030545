import AnnexChannel
import AnnexHost
import CBenchDriver

/// The time from the request that makes an extension break a limit until the host is notified of the end. It includes
/// the request's own time.
final class EndWay: Way {
    enum Breach: UInt8 {
        case denied = 1
        case violation = 2
        case memory = 3

        var reason: Termination.Reason {
            switch self {
            case .denied: .deniedOperation
            case .violation: .protocolViolation
            case .memory: .memoryLimit
            }
        }
    }

    private let launcher: Launcher
    private let breach: Breach
    private let answers = OwnAnswers()
    private var session: ExtensionSession?

    /// - Throws: an error if the kernel itself does not enforce the limit.
    init(_ launcher: Launcher, breach: Breach) throws {
        self.launcher = launcher
        self.breach = breach
        session = try prepared()
    }

    /// If no pause followed the last session's end, this call first makes a new session. This happens in the driver's
    /// warm-up, and in the call after the warm-up.
    func call(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) -> Int {
        guard request.first == UInt8(bench_wants_reply) else { return answers.answer(request, into: reply) }
        if session == nil { after() }
        defer { session = nil }
        do throws(HostError) {
            _ = try session?.requestAndWait([])
            Complaint.print("it lives on")
            return 0
        } catch {
            guard case .ended(let end) = error, end.reason == breach.reason else {
                Complaint.print("not the end that was to be expected: \(error)")
                return 0
            }
            return answers.answer(request, into: reply)
        }
    }

    func after() {
        do {
            session = try prepared()
        } catch {
            session = nil
            Complaint.print("\(error)")
        }
    }

    /// A session whose extension breaks its limit at the next request.
    private func prepared() throws -> ExtensionSession {
        // An extension that ends normally clears the count of earlier failures. Without it, the extension would have to
        // pause after some failures.
        _ = try launcher.launch().completeAndWait()
        let session = try launcher.launch()
        _ = try session.channel.callAndWait(Request(method: 9, payload: [breach.rawValue]))
        guard breach == .memory else { return session }
        guard session.launchReport.memory == .enforced else { throw Failure.watched }
        // The extension first fills its memory until little is left, because filling memory must not be measured.
        let room = session.launchReport.memoryLimit - min(session.launchReport.memoryLimit, 8 << 20)
        let words = withUnsafeBytes(of: room.littleEndian, Array.init)
        _ = try session.channel.callAndWait(Request(method: 10, payload: words))
        return session
    }

    enum Failure: Error, CustomStringConvertible {
        case watched

        var description: String { "this machine has no control group for memory: the limit is watched" }
    }
}
