import AnnexLinux
import AnnexTestSupport
import Foundation
import Synchronization

@testable import AnnexChannel

/// A conversation with an extension that stops or dies at one of its steps.
struct StoppedRound: Sendable {
    /// How the extension stops.
    enum Fate: String, CaseIterable {
        /// The extension stops, and the host ends it.
        case stopped
        /// The extension stops, and continues after the host has given up.
        case paused
        /// The extension dies.
        case killed
    }

    struct Wrong: Error {
        let fate: Fate
        let step: Int
        let what: String
    }

    private let fate: Fate
    private let step: Int
    private let host: HostEndpoint
    private let peer: ExtensionProcess
    private let violation: Box<ChannelViolation>

    init(_ fate: Fate, _ step: Int, _ loop: EventLoop) throws {
        self.fate = fate
        self.step = step
        violation = Box(Mutex(nil))
        var handlers = ChannelHandlers()
        handlers.onViolation = { [violation] found in violation.value.withLock { $0 = found } }
        handlers.onRequest = { try? $0.reply([1]) }
        let ends = try HostEndpoint.make(handlers: handlers, eventLoop: loop)
        host = ends.host
        peer = try ExtensionProcess(
            [ChildProcess.executable("stops-at-a-step").path, "\(fate == .killed ? SIGKILL : SIGSTOP)", "\(step)"],
            ends.descriptors)
    }

    /// - Returns: whether the extension reached the step at which it stops.
    func run() throws -> Bool {
        let waiting = PatientTasks(host)
        let wasStopped = try !converse()
        if wasStopped {
            try expectTypedFailures()
            if fate == .paused { try expectLife() }
        }
        host.end(with: "over")
        let ends = waiting.wait()
        try expect(ends.isSubset(of: ["hello", "ended"]) && ends.contains("ended"), "what waited came to \(ends)")
        peer.kill()
        let found = violation.value.withLock { $0 }
        try expect(found == nil, "an honest extension broke a rule: \(String(describing: found))")
        return wasStopped
    }

    private func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws {
        if !holds { throw Wrong(fate: fate, step: step, what: what()) }
    }

    /// Does every operation of a channel once. If the machine was too slow for the extension's time limit, the
    /// function repeats the operation with longer limits.
    /// - Returns: false once the extension has stopped or died.
    private func converse() throws -> Bool {
        for act in Self.acts {
            var time = Duration.milliseconds(50)
            while true {
                do {
                    try act(host, time)
                    break
                } catch {
                    try expect(Self.isExpected(error), "\(error)")
                    if peer.isStoppedOrDead { return false }
                    time = min(time * 2, .patience)
                }
            }
        }
        try? host.sendAndWait(ChannelEvent(method: ChannelEvent.goodbye))
        // The extension exits, or stops at one of its last steps.
        while !peer.isStoppedOrDead { usleep(200) }
        return !peer.hasLeft
    }

    /// The extension is gone, so it cannot answer. The host must notice this within its own time limit.
    private func expectTypedFailures() throws {
        var done = 0
        for act in Self.acts {
            do {
                try act(host, .milliseconds(5))
                // A frame that the extension sent before the stop may still be an answer.
                done += 1
            } catch {
                try expect(Self.isExpected(error), "\(error)")
            }
        }
        try expect(done < Self.acts.count, "everything was answered by nobody")
    }

    /// The extension continues, and the channel works again.
    private func expectLife() throws {
        peer.resume()
        var time = Duration.milliseconds(50)
        while (try? host.callAndWait(Request(method: 1, payload: [8]), timeout: time))?.payload != [8] {
            let found = violation.value.withLock { $0 }
            try expect(found == nil, "after it went on: \(String(describing: found))")
            if peer.isStoppedOrDead { return }
            time = min(time * 2, .patience)
        }
    }

    private static func isExpected(_ error: any Error) -> Bool {
        switch error {
        case CallFailure.deadlineExceeded, CallFailure.noRoom, StreamFailure.deadlineExceeded,
            StreamFailure.channel(.deadlineExceeded), StreamFailure.channel(.noRoom):
            true
        // The extension's end of the control socket is closed.
        case CallFailure.ended, StreamFailure.channel(.ended): true
        default: false
        }
    }

    private typealias Act = @Sendable (HostEndpoint, Duration) throws -> Void

    private static let acts: [Act] = [
        { host, time in _ = try ask(host, 1, [1, 2, 3], timeout: time) },
        { host, time in
            _ = try host.callAndWait(Request(method: 1, payload: [UInt8](repeating: 2, count: 300)), timeout: time)
        },
        { host, time in
            let allowance = DescriptorAllowance(pieces: 1, bytes: 100)
            let file = DescriptorList(try Descriptor.memfd("annex-granted", size: 1))
            _ = try host.callAndWait(Request(method: 1, descriptors: file), timeout: time)
            _ = try host.callAndWait(Request(method: 2, payload: [1], accepts: allowance), timeout: time)
        },
        { host, time in _ = try host.callAndWait(Request(method: 3), timeout: time) },
        { host, time in try host.pingAndWait(timeout: time) },
        { host, time in
            let call: ChannelCall = try host.startAndWait(Request(method: 1))
            call.cancel()
        },
        { host, time in
            let stream = try host.openStream(1, timeout: time)
            _ = try stream.receiveAndWait(timeout: time)
            try stream.sendAndWait([1, 2, 3], timeout: time)
            stream.finish()
            _ = try stream.receiveAndWait(timeout: time)
        },
    ]
}
