internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel

/// Contents that the host offered under a number. The extension loads the contents by this number.
struct HostItem: RemoteItem {
    let offer: ItemOffer
    let line: HostLine

    var size: Int? { offer.size }
    var isEditable: Bool { offer.isEditable }

    func open(_ waiting: LoadWaiting) throws(ItemFailure) -> Descriptor {
        try line.check()
        let deadline = waiting.timeout.map { MonotonicClock.deadline(after: $0) }
        line.loads.add(offer.number)
        defer { line.loads.remove(offer.number) }
        while true {
            let answer = try line.ask(LoadMessage.loadMethod, about: offer.number)
            if let file = try file(in: answer, waiting) { return file }
            if let deadline, MonotonicClock.remaining(until: deadline) == 0 { throw giveUp(.timedOut) }
        }
    }

    nonisolated(nonsending) func open(suspending waiting: LoadWaiting) async throws(ItemFailure) -> Descriptor {
        try line.check()
        let deadline = waiting.timeout.map { MonotonicClock.deadline(after: $0) }
        try await line.turns.begin(until: deadline)
        line.loads.add(offer.number)
        defer {
            line.loads.remove(offer.number)
            line.turns.end()
        }
        while true {
            // A task that was cancelled between two calls must not call again.
            guard !Task.isCancelled else { throw giveUp(.cancelled) }
            let answer: LoadAnswer
            do throws(ItemFailure) {
                answer = try await line.ask(LoadMessage.loadMethod, about: offer.number, until: deadline)
            } catch {
                throw error == .cancelled || error == .timedOut ? giveUp(error) : error
            }
            if let file = try file(in: answer, waiting) { return file }
        }
    }

    /// - Returns: the file of the answer; nil if the host is still loading.
    private func file(in answer: LoadAnswer, _ waiting: LoadWaiting) throws(ItemFailure) -> Descriptor? {
        switch answer.reply {
        case .refused(let refusal): throw refusal.failure
        case .done: return try answer.file()
        case .pending(let progress):
            guard waiting.progress(Double(progress) / 1_000_000) else { throw giveUp(.cancelled) }
            return nil
        }
    }

    func beginVersion() throws(ItemFailure) -> Descriptor {
        let answer = try line.ask(LoadMessage.writeMethod, about: offer.number)
        if case .refused(let refusal) = answer.reply { throw refusal.failure }
        return try answer.file()
    }

    func commitVersion() throws(ItemFailure) {
        if case .refused(let refusal) = try line.ask(LoadMessage.commitMethod, about: offer.number).reply {
            throw refusal.failure
        }
    }

    /// Ends the load in the host too, unless another load of the same contents waits for it.
    private func giveUp(_ failure: ItemFailure) -> ItemFailure {
        if line.loads.isLast(offer.number) { line.cancel(offer.number) }
        return failure
    }
}

/// The host's answer to a `LoadMessage`.
struct LoadAnswer {
    let reply: LoadReply
    private let content: HostHandOver

    init(_ content: HostHandOver) throws(DecodingFailure) {
        reply = try LoadReply(decoding: content.bytes)
        self.content = content
    }

    func file() throws(ItemFailure) -> Descriptor {
        guard let file = content.takeFirst() else { throw .failed("the host sent no file") }
        return file
    }
}
