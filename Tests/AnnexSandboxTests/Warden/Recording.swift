import AnnexLinux
import Synchronization

@testable import AnnexLaunch

/// The events of one launch, for a test to check.
final class Recording: Sendable {
    /// An event without the descriptors that it owns, which are kept separately.
    enum Event: Sendable, Equatable {
        case started, scratch, listener, executed, failed, stopped, ended, lost
    }

    struct State: ~Copyable {
        var order: [Event] = []
        var process: Int32 = 0
        var handle: ProcessHandle?
        var scratch: Descriptor?
        var listener: Descriptor?
        var times: LaunchTimes?
        var layers: SandboxLayers?
        var failure: LaunchFailure?
        var stopSignal: Int32?
        var end: ProcessEnd?
        var usage: ResourceUsage?
    }

    private let state = Mutex(State())
    private let events: AsyncStream<Event>
    private let report: AsyncStream<Event>.Continuation

    init() {
        (events, report) = AsyncStream.makeStream(of: Event.self)
    }

    func note(_ event: consuming LaunchEvent) {
        // The event is in a variable, because a closure cannot consume a value that it captured.
        var event: LaunchEvent? = consume event
        let seen = state.withLock { state -> Event? in
            guard let event = event.take() else { return nil }
            let seen = Self.take(event, into: &state)
            state.order.append(seen)
            return seen
        }
        guard let seen else { return }
        report.yield(seen)
        if seen == .ended || seen == .lost { report.finish() }
    }

    private static func take(_ event: consuming LaunchEvent, into state: inout State) -> Event {
        switch consume event {
        case .started(let handle, let process):
            state.handle = consume handle
            state.process = process
            return .started
        case .unheld:
            return .failed
        case .scratch(let directory):
            state.scratch = consume directory
            return .scratch
        case .listener(let listener):
            state.listener = consume listener
            return .listener
        case .executed(let times, let layers, _):
            state.times = times
            state.layers = layers
            return .executed
        case .stopped(let signal):
            state.stopSignal = signal
            return .stopped
        case .failed(let failure, let times):
            state.failure = failure
            state.times = times
            return .failed
        case .ended(let end, let usage):
            state.end = end
            state.usage = usage
            return .ended
        case .wardenLost:
            return .lost
        }
    }

    /// Waits until the wanted event was reported. The result is false if all events have come and the wanted event is
    /// not among them.
    func waits(for wanted: Event) async -> Bool {
        if order.contains(wanted) { return true }
        for await event in events where event == wanted { return true }
        return order.contains(wanted)
    }

    /// Waits for the last event.
    func finish() async {
        for await _ in events {}
    }

    var order: [Event] { state.withLock { $0.order } }
    var process: Int32 { state.withLock { $0.process } }
    var failure: LaunchFailure? { state.withLock { $0.failure } }
    var times: LaunchTimes? { state.withLock { $0.times } }
    var layers: SandboxLayers? { state.withLock { $0.layers } }
    var stopSignal: Int32? { state.withLock { $0.stopSignal } }
    var end: ProcessEnd? { state.withLock { $0.end } }
    var usage: ResourceUsage? { state.withLock { $0.usage } }

    func kill(_ signal: Int32 = 9) throws {
        try state.withLock { try $0.handle?.sendSignal(signal) }
    }

    /// The listener, which the caller now owns; nil if none was reported.
    func takeListener() -> Descriptor? { state.withLock { $0.listener.take() } }
}
