import AnnexHost
import CBenchDriver

/// The time from the request to an extension's first answer. Every call is a launch. This process answers the driver's
/// own questions, because no extension lives long enough to count the messages.
final class LaunchWay: Way {
    private let begin: () throws -> ExtensionSession
    private let settle: () -> Void
    private var session: ExtensionSession?
    private var server = bench_server()

    /// - Parameter settle: waits until the next launch may begin. The clock does not run during this wait.
    init(_ begin: @escaping () throws -> ExtensionSession, settle: @escaping () -> Void = {}) {
        self.begin = begin
        self.settle = settle
    }

    func call(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) -> Int {
        guard request.first == UInt8(bench_wants_reply) else {
            return bench_answer(&server, request.baseAddress, request.count, reply.baseAddress, reply.count)
        }
        after()
        do {
            let session = try begin()
            self.session = session
            server.received += 1
            return RawWay(channel: session.channel).call(request, into: reply)
        } catch {
            Complaint.print("\(error)")
            return 0
        }
    }

    func after() {
        if let session {
            let link = DriverLink(RawWay(channel: session.channel))
            var wrong: UInt64 = 0
            // The extension has ended, so its count of wrong messages is lost.
            if !bench_ask_wrong(DriverLink.call, link.pointer, &wrong) { wrong = 1 }
            server.wrong += wrong
        }
        _ = session?.completeAndWait()
        session = nil
        settle()
    }
}
