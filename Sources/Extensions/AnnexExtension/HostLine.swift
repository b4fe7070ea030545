internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import Glibc

/// The channel to the host, which only the extension's first thread may use.
///
/// Items are `Sendable`, so any thread may hold an item. But only one thread may use the channel. An extension in a
/// sandbox has no other thread. Outside of a sandbox, a call from another thread is an error.
final class HostLine: @unchecked Sendable {
    private let lookout: ExtensionLookout
    private let thread = pthread_self()
    /// The loads in progress.
    let loads = LoadCounts()
    /// Limits the loads of tasks.
    let turns: LoadTurns

    init(_ lookout: ExtensionLookout) {
        self.lookout = lookout
        turns = LoadTurns(lookout)
    }

    /// Returns a closure that makes an item of this host from an offer.
    var offers: @Sendable (ItemOffer) -> any RemoteItem { { HostItem(offer: $0, line: self) } }

    /// Throws if this is not the extension's first thread.
    func check() throws(ItemFailure) {
        guard pthread_equal(thread, pthread_self()) != 0 else {
            throw .failed("an extension loads items on its first thread")
        }
    }

    func ask(_ method: UInt16, about number: UInt64) throws(ItemFailure) -> LoadAnswer {
        try check()
        do {
            return try LoadAnswer(lookout.callAndWait(method, payload: LoadMessage(number: number).encoded()))
        } catch {
            throw ItemFailure(asking: error)
        }
    }

    /// Asks the host like the other `ask`, but suspends the task until the answer.
    nonisolated(nonsending) func ask(
        _ method: UInt16, about number: UInt64, until deadline: UInt64?
    ) async throws(ItemFailure) -> LoadAnswer {
        do {
            return try LoadAnswer(
                await lookout.call(method, payload: LoadMessage(number: number).encoded(), until: deadline))
        } catch {
            throw ItemFailure(asking: error)
        }
    }

    /// Tells the host that the extension does not want the contents any longer. The host's answer does not matter. If
    /// the host is gone, its loader was cancelled already.
    func cancel(_ number: UInt64) {
        guard let payload = try? LoadMessage(number: number).encoded() else { return }
        try? lookout.callWithoutAnswer(LoadMessage.cancelMethod, payload: payload)
    }
}

extension ItemFailure {
    fileprivate init(asking error: any Error) {
        switch error {
        case ExtensionFailure.failed(_, let text): self = .failed(text)
        case ExtensionFailure.system(let error): self = .system(error)
        case ExtensionFailure.cancelled: self = .cancelled
        case ExtensionFailure.deadlineExceeded: self = .timedOut
        default: self = .failed("\(error)")
        }
    }
}

/// Counts the loads in progress of each contents. Several tasks may load the same contents at once. Then the host's
/// loader is cancelled only when the last of these tasks gives up.
final class LoadCounts {
    private var counts: [UInt64: Int] = [:]

    func add(_ number: UInt64) { counts[number, default: 0] += 1 }

    func remove(_ number: UInt64) {
        let left = (counts[number] ?? 1) - 1
        counts[number] = left > 0 ? left : nil
    }

    func isLast(_ number: UInt64) -> Bool { counts[number] == 1 }
}

/// Lets a number of tasks load at once. The other tasks wait for their turn, in the order in which they came.
///
/// The host limits the calls that are open at once, and each loaded file needs one of this process's descriptors. So an
/// extension may start a thousand loads, and this object spreads them.
final class LoadTurns {
    private enum Turn {
        case given
        case givenUp(ItemFailure)
    }

    private let lookout: ExtensionLookout
    private var running = 0
    private var waiting: [Suspension<Turn>] = []

    init(_ lookout: ExtensionLookout) {
        self.lookout = lookout
    }

    /// Waits for a turn. Each turn needs one call of `end`.
    /// - Throws: `cancelled` or `timedOut` if the turn did not come before.
    nonisolated(nonsending) func begin(until deadline: UInt64?) async throws(ItemFailure) {
        guard running == ItemOffer.mostLoads else { return running += 1 }
        let turn = Suspension<Turn>(lookout)
        waiting.append(turn)
        let outcome = await turn.outcome(until: deadline) { [self] reason in
            waiting.removeAll { $0 === turn }
            turn.resolve(with: .givenUp(reason == .tooLate ? .timedOut : .cancelled))
        }
        if case .givenUp(let failure) = outcome { throw failure }
    }

    /// Ends a turn, and gives it to the task that has waited for the longest time.
    func end() {
        guard !waiting.isEmpty else { return running -= 1 }
        waiting.removeFirst().resolve(with: .given)
    }
}
