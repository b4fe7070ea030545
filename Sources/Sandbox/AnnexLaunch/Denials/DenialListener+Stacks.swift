internal import AnnexPolicy
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

extension DenialListener {
    /// Copies the data for a backtrace while the call is held. Returns nil if this sandbox gets no backtraces.
    func sample(_ call: HeldCall, at fault: StoppedThread? = nil) -> Result<StackSample, StackSample.Missing>? {
        guard let program = scene.program else { return nil }
        program.open(through: call.thread)
        do throws(StackSample.Missing) {
            return .success(try StackSample(of: call, at: fault, on: listener))
        } catch {
            return .failure(error)
        }
    }

    /// Queues a stack copy, which the thread of `PostMortem` walks later.
    func keep(_ stack: Result<StackSample, StackSample.Missing>, of event: StackEvent) {
        switch stack {
        case .failure(let missing): books.withLock { $0.record(Backtrace(missing: missing.text), of: event) }
        case .success(let sample):
            books.withLock { $0.keep(sample, of: event) }
            let isTaken = PostMortem.shared.queueWalk { [weak self] in _ = self?.walkNext() }
            if !isTaken { books.withLock { $0.loseStack(of: event) } }
        }
    }

    /// - Returns: whether there was a stack copy to walk.
    private func walkNext() -> Bool {
        guard let program = scene.program, let (event, sample) = books.withLock({ $0.popStack() }) else {
            return false
        }
        let backtrace = Backtrace(sample, of: program)
        books.withLock { $0.record(backtrace, of: event) }
        PostMortem.shared.advance()
        return true
    }

    /// Makes the final summary, with names for the functions whose addresses are known.
    func close() -> DenialSummary {
        while walkNext() {}
        recordExecutions()
        var summary = books.withLock { $0.summary(scene) }
        scene.program?.name(&summary)
        books.withLock { $0.close(summary) }
        return summary
    }
}

extension DenialListener {
    /// Examines the stack of a program that aborts or faults. Only the first such call is examined. Later calls of
    /// this kind are treated like any other call.
    ///
    /// - Returns: whether the only purpose of the call was to report the crash. In that case this function has
    ///   already answered the call.
    func recordCrash(_ call: HeldCall, isAbort: Bool) -> Bool {
        let fault = StoppedThread(faulting: call)
        guard isAbort || fault != nil, books.withLock({ $0.wantsCrash() }) else { return false }
        if let stack = sample(call, at: fault) {
            let signal = Int32(truncatingIfNeeded: call.arguments[2])
            books.withLock { $0.crash = Crash(signal: signal, backtrace: Backtrace()) }
            keep(stack, of: .crash)
        }
        if fault != nil { settle(call, with: .deny(errno: EPERM)) }
        return fault != nil
    }
}

extension StoppedThread {
    /// The registers at the time of a fault. The program's fault handler passes them in its last call
    /// (`annex_tell_of_faults`). nil for any other call.
    fileprivate init?(faulting call: HeldCall) {
        guard call.arguments[0] == UInt64(ANNEX_FAULT_MARK), SystemCall(number: call.number)?.name == "tgkill" else {
            return nil
        }
        self.init(
            stackPointer: call.arguments[4], instruction: call.arguments[3], framePointer: call.arguments[5])
    }
}
