internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import Dispatch
internal import Synchronization

/// One load of contents. It runs the loader, if the contents have one, and answers the extension's requests for the
/// outcome.
///
/// Each request is answered within a tenth of a second, with the outcome or with the progress so far. The extension
/// repeats its request until it gets the outcome. So a loader may take long: meanwhile, the extension sees the progress
/// and answers the watchdog. Several tasks of the extension may request the same contents at once.
final class LoadJob: Sendable {
    private struct State {
        var outcome: Result<OutgoingContents, any Error>?
        var waiters: [HeldRequest] = []
        var task: Task<Void, Never>?
        var timer: EventLoop.Timer?
    }

    /// Closures with which a job informs its owner.
    struct Hooks: Sendable {
        /// A loader has made contents.
        let made: @Sendable (OutgoingContents) -> Void
        /// The outcome was sent, or will never be sent.
        let delivered: @Sendable (LoadJob) -> Void
        /// The work is over. A loader may ignore a cancellation, so this call can come much later than `delivered`.
        let ended: @Sendable () -> Void
    }

    /// The number of the offer.
    let number: UInt64
    private let contents: ItemContents
    private let budget: CopyBudget
    private let hooks: Hooks
    private let progress = ItemLoad()
    private let state = Mutex(State())

    /// How long a request waits for the outcome.
    private static let patience = Duration.milliseconds(100)
    /// How long opening a file may take.
    private static let longestOpening = Duration.seconds(30)

    init(_ number: UInt64, of contents: ItemContents, within budget: CopyBudget, hooks: Hooks) {
        self.number = number
        self.contents = contents
        self.budget = budget
        self.hooks = hooks
    }

    /// Whether the load has an outcome.
    var isOver: Bool { state.withLock { $0.outcome != nil } }

    /// How long the load may take, and how long it may wait for its turn.
    private var longest: Duration {
        if case .loader(let loader) = contents.source { loader.timeout } else { Self.longestOpening }
    }

    /// Waits until the owner calls `begin`, because too many loads are in progress.
    func waitForTurn() { limit(to: longest) }

    func begin() {
        limit(to: longest)
        if case .loader(let loader) = contents.source { return run(loader) }
        // A file system may block. So neither the event loop nor a task's thread opens the file.
        DispatchQueue.global().async { [self] in
            defer { hooks.ended() }
            finish(Result { try OutgoingContents(of: contents, within: budget) })
        }
    }

    private func run(_ loader: ItemLoader) {
        let task = Task { [self] in
            defer { hooks.ended() }
            do {
                let made = try OutgoingContents(of: try await loader.load(progress), within: budget)
                hooks.made(made)
                finish(.success(made))
            } catch {
                finish(.failure(error))
            }
        }
        // The load may have been ended before it began.
        let isOver = state.withLock { state in
            guard state.outcome == nil else { return true }
            state.task = task
            return false
        }
        if isOver { task.cancel() }
    }

    /// Answers a request with the outcome. If the outcome does not come within `patience`, the answer is the progress.
    func enlist(_ request: consuming HostedRequest) {
        let held = HeldRequest(request)
        let outcome = state.withLock { state in
            if state.outcome == nil { state.waiters.append(held) }
            return state.outcome
        }
        if let outcome { return deliver(outcome, to: [held]) }
        (try? EventLoop.shared())?.schedule(after: Self.patience) { [self] in answerPending(held) }
    }

    private func answerPending(_ held: HeldRequest) {
        let isWaiting = state.withLock { state in
            guard let place = state.waiters.firstIndex(where: { $0 === held }) else { return false }
            state.waiters.remove(at: place)
            return true
        }
        let reply = LoadReply.pending(progress: UInt32(progress.progress * 1_000_000))
        guard isWaiting, let request = held.take(), let bytes = try? reply.encoded() else { return }
        try? request.replyInvitingAnother(bytes)
    }

    /// Ends the load early.
    func end(with failure: ItemFailure) {
        finish(.failure(failure))
    }

    /// Sets the time limit. A limit that was set before no longer applies.
    private func limit(to timeout: Duration) {
        let timer = (try? EventLoop.shared())?.schedule(after: timeout) { [self] in end(with: .timedOut) }
        let unneeded = state.withLock { state in
            guard state.outcome == nil else { return timer }
            defer { state.timer = timer }
            return state.timer
        }
        unneeded?.cancel()
    }

    private func finish(_ outcome: Result<OutgoingContents, any Error>) {
        let ended = state.withLock { state in
            guard state.outcome == nil else { return State() }
            defer { state = State(outcome: outcome) }
            return state
        }
        ended.task?.cancel()
        ended.timer?.cancel()
        if !ended.waiters.isEmpty { deliver(outcome, to: ended.waiters) }
    }

    private func deliver(_ outcome: Result<OutgoingContents, any Error>, to waiters: [HeldRequest]) {
        hooks.delivered(self)
        for held in waiters {
            guard let request = held.take() else { continue }
            do {
                let descriptor = try outcome.get().descriptor.duplicate()
                try? request.reply([], handingOver: descriptor)
            } catch {
                request.answer(.refused(LoadRefusal(error)))
            }
        }
    }
}

/// Contents in the form in which an extension gets them.
///
/// Small contents are sent as a sealed copy, if the session has memory left for copies. So a slow or changing file
/// cannot affect the extension. Other contents are sent as a newly opened file description, so that the extension does
/// not share the host's description.
final class OutgoingContents: Sendable {
    let descriptor: Descriptor

    /// Contents of at most this many bytes are sent as a sealed copy and not as the file itself.
    private static let small = 64 << 10

    /// Opens contents that are not open yet, and closes them again.
    /// - Parameter budget: the memory for sealed copies; nil if no limit is needed.
    init(of contents: ItemContents, within budget: CopyBudget? = nil) throws(ItemFailure) {
        let opened: ItemContents
        if case .file(let file) = contents.source {
            opened = try ItemContents(try file.open())
        } else {
            opened = contents
        }
        let count = try opened.count
        let isCopied = count <= Self.small && budget?.take(max(count, 4096)) ?? true
        descriptor = try isCopied ? Self.sealedCopy(of: opened) : Self.reopened(opened)
    }

    private static func reopened(_ contents: ItemContents) throws(ItemFailure) -> Descriptor {
        let opened = try contents.open()
        do throws(SystemError) {
            return try opened.descriptor.reopenedReadOnly()
        } catch {
            throw .system(error)
        }
    }

    private static func sealedCopy(of contents: ItemContents) throws(ItemFailure) -> Descriptor {
        let bytes = try contents.load(limit: small)
        do throws(SystemError) {
            let memory = try Descriptor.memfd("annex-contents", size: 0)
            try memory.writeAll(bytes)
            try memory.addSeals(.immutable)
            return memory
        } catch {
            throw .system(error)
        }
    }
}

/// The memory of this host that one session's sealed copies may take. An extension can load the same file again and
/// again, and keep each copy mapped. If the budget is spent, the extension gets the file itself.
final class CopyBudget: Sendable {
    private let left = Mutex(16 << 20)

    func take(_ bytes: Int) -> Bool {
        left.withLock { left in
            guard left >= bytes else { return false }
            left -= bytes
            return true
        }
    }
}
