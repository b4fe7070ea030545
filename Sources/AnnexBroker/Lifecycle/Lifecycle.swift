/// One extension's life as a pure state machine: state × event → effects. Whoever drives it owns clock and kernel.
///
/// The first cause that ends a life is the one that is told: what comes after it is its consequence.
struct Lifecycle: Sendable {
    enum State: Sendable, Equatable {
        /// From the request to the extension's hello.
        case launching(Progress)
        /// It said hello; `open` requests are under way.
        case serving(open: Int)
        /// The host is done with it; it has its grace to tidy up in.
        case tidying(EndCause)
        /// It is being killed; only the kernel's word that it is gone is awaited.
        case ending(EndCause)
        case ended
    }

    /// What is there of a launch. The warden's word that the program runs and the program's own hello come by two
    /// ways, and either may be first.
    enum Progress: Sendable, Equatable {
        case begun
        case started
        case executed
        case saidHello
    }

    enum Event: Sendable, Equatable {
        /// The warden has its plan.
        case asked
        case started
        case executed
        case saidHello
        case requestBegan
        case requestEnded
        case elapsed(Limit)
        /// The host needs it no longer: completed or cancelled.
        case dismissed(EndCause)
        /// Its end of the channel is closed, as it is when it ends.
        case channelClosed
        /// Something that no extension survives.
        case mustEnd(EndCause)
        /// The kernel's last word.
        case gone
    }

    enum Limit: Sendable, Hashable, CaseIterable {
        /// From the request to the process: bounds the waiting for a warden that says nothing.
        case queue
        case launch
        case request
        case grace
        /// From the close of its channel to the kernel's word that it is gone.
        case silence
        /// From the kill to the kernel's word that it is gone.
        case death
    }

    enum Effect: Sendable, Equatable {
        case arm(Limit)
        case disarm(Limit)
        /// Tell the host that the extension is ready.
        case announce
        /// Tell the extension that its work is over.
        case sayGoodbye
        case kill
        /// Publish the end. Without a cause the kernel's own facts are the reason.
        case finish(EndCause?)
    }

    private(set) var state = State.launching(.begun)
    /// Whether its channel is closed: from then on it has only so long to be gone.
    private var isSilent = false

    mutating func handle(_ event: Event) -> [Effect] {
        switch state {
        case .launching(let progress): launching(event, progress)
        case .serving(let open): serving(event, open: open)
        case .tidying(let cause): tidying(event, cause: cause)
        case .ending(let cause): ending(event, cause: cause)
        case .ended: []
        }
    }

    private mutating func launching(_ event: Event, _ progress: Progress) -> [Effect] {
        switch (event, progress) {
        case (.asked, .begun): return [.arm(.queue)]
        case (.elapsed(.queue), .begun): return finish(.unanswered, first: [.kill])
        case (.started, _):
            if progress == .begun { state = .launching(.started) }
            return [.disarm(.queue), .arm(.launch)]
        case (.executed, .begun), (.executed, .started):
            state = .launching(.executed)
            return []
        case (.saidHello, .begun), (.saidHello, .started):
            state = .launching(.saidHello)
            return [.disarm(.launch)]
        case (.executed, .saidHello), (.saidHello, .executed):
            state = .serving(open: 0)
            return [.disarm(.launch), .announce]
        case (.elapsed(.launch), .started), (.elapsed(.launch), .executed): return end(.launchLimit)
        case (.channelClosed, _): return fallSilent()
        case (.elapsed(.silence), _): return end(.silence)
        case (.dismissed(let cause), _), (.mustEnd(let cause), _): return end(cause)
        case (.gone, _): return finish(nil)
        default: return []
        }
    }

    private mutating func serving(_ event: Event, open: Int) -> [Effect] {
        switch event {
        case .requestBegan:
            state = .serving(open: open + 1)
            return open == 0 ? [.arm(.request)] : []
        case .requestEnded:
            state = .serving(open: max(0, open - 1))
            return open <= 1 ? [.disarm(.request)] : [.arm(.request)]
        case .elapsed(.request): return open > 0 ? end(.timeLimit) : []
        case .dismissed(let cause):
            state = .tidying(cause)
            return [.disarm(.request), .sayGoodbye, .arm(.grace)]
        case .channelClosed: return fallSilent()
        case .elapsed(.silence): return end(.silence)
        case .mustEnd(let cause): return end(cause)
        case .gone: return finish(nil)
        case .asked, .started, .executed, .saidHello, .elapsed: return []
        }
    }

    private mutating func tidying(_ event: Event, cause: EndCause) -> [Effect] {
        switch event {
        case .elapsed(.grace): return end(cause)
        case .mustEnd(let worse): return end(worse)
        case .gone: return finish(cause)
        default: return []
        }
    }

    private mutating func ending(_ event: Event, cause: EndCause) -> [Effect] {
        switch event {
        case .gone: finish(cause)
        // Nobody waits for a process that no signal reaches, nor for a warden that does not tell of its end.
        case .elapsed(.death): finish(.stuck)
        default: []
        }
    }

    /// A process that ends closes its channel a moment before the kernel tells what it died of. One that lives on
    /// without a channel can be heard by nobody, and whoever waits for its end would wait for ever.
    private mutating func fallSilent() -> [Effect] {
        defer { isSilent = true }
        return isSilent ? [] : [.arm(.silence)]
    }

    private mutating func end(_ cause: EndCause) -> [Effect] {
        state = .ending(cause)
        return Limit.allCases.map(Effect.disarm) + [.kill, .arm(.death)]
    }

    private mutating func finish(_ cause: EndCause?, first: [Effect] = []) -> [Effect] {
        state = .ended
        return first + Limit.allCases.map(Effect.disarm) + [.finish(cause)]
    }
}
