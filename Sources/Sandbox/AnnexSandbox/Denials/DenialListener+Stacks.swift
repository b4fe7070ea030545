internal import Synchronization

extension DenialListener {
    /// Copies what a backtrace is made of, while the call is held; nil where no functions are named.
    func sample(_ call: HeldCall, at fault: StoppedThread? = nil) -> Result<StackSample, StackSample.Lack>? {
        guard let program = scene.program else { return nil }
        program.open(through: call.thread)
        do throws(StackSample.Lack) {
            return .success(try StackSample(of: call, at: fault, on: listener))
        } catch {
            return .failure(error)
        }
    }

    /// Has a copy walked as soon as there is time for it.
    func keep(_ stack: Result<StackSample, StackSample.Lack>, of event: StackEvent) {
        switch stack {
        case .failure(let lack): books.withLock { $0.note(Backtrace(lack: lack.text), of: event) }
        case .success(let sample):
            books.withLock { $0.keep(sample, of: event) }
            let isTaken = PostMortem.shared.look { [weak self] in _ = self?.walkNext() }
            if !isTaken { books.withLock { $0.loseStack(of: event) } }
        }
    }

    /// - Returns: whether there was one.
    private func walkNext() -> Bool {
        guard let program = scene.program, let (event, sample) = books.withLock({ $0.takeStack() }) else {
            return false
        }
        let backtrace = Backtrace(sample, of: program)
        books.withLock { $0.note(backtrace, of: event) }
        PostMortem.shared.advance()
        return true
    }

    /// The last word, with names for the functions that are known by address.
    func close() -> DenialSummary {
        while walkNext() {}
        var summary = books.withLock { $0.summary(scene) }
        scene.program?.name(&summary)
        books.withLock { $0.close(summary) }
        return summary
    }
}
