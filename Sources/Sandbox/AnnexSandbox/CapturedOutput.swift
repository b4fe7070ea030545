internal import AnnexLaunch
internal import Synchronization

/// A program's standard output and standard error, kept up to one limit for both together.
final class CapturedOutput: Sendable {
    private struct State {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var exceeded: (@Sendable () -> Void)?
        var isFull = false
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: UInt64) {
        self.limit = Int(clamping: limit)
    }

    /// Sets a job that is called once, when the program writes more than the limit. Bytes beyond the limit are
    /// discarded.
    func whenExceeded(_ job: @escaping @Sendable () -> Void) { state.withLock { $0.exceeded = job } }

    func add(_ bytes: [UInt8], isError: Bool) {
        let job = state.withLock { state -> (@Sendable () -> Void)? in
            let room = max(0, limit - state.output.count - state.errors.count)
            if isError { state.errors += bytes.prefix(room) } else { state.output += bytes.prefix(room) }
            guard bytes.count > room, !state.isFull else { return nil }
            state.isFull = true
            return state.exceeded
        }
        job?()
    }

    var output: [UInt8] { state.withLock { $0.output } }
    var errors: [UInt8] { state.withLock { $0.errors } }
}
