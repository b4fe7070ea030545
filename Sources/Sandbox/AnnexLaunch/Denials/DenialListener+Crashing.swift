internal import AnnexPolicy
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

extension DenialListener {
    /// Examines the stack of a program that aborts or faults, once. Later calls of this kind are treated like any other
    /// call.
    ///
    /// - Returns: whether the call's only purpose was to report the crash; it is then settled.
    func noteCrash(_ call: HeldCall, isAbort: Bool) -> Bool {
        let fault = StoppedThread(faulting: call)
        guard isAbort || fault != nil, books.withLock({ $0.wantsCrash() }) else { return false }
        if let stack = sample(call, at: fault) {
            let signal = Int32(truncatingIfNeeded: call.arguments[2])
            books.withLock { $0.crash = Crash(signal: signal, backtrace: Backtrace()) }
            keep(stack, of: .crash)
        }
        if fault != nil { settle(call, .refuse(errno: EPERM)) }
        return fault != nil
    }
}

extension StoppedThread {
    /// The registers at a fault, which the handler passes in its last call (`annex_tell_of_faults`). nil for any other
    /// call.
    fileprivate init?(faulting call: HeldCall) {
        guard call.arguments[0] == UInt64(ANNEX_FAULT_MARK), SystemCall(number: call.number)?.name == "tgkill" else {
            return nil
        }
        self.init(
            stackPointer: call.arguments[4], instruction: call.arguments[3], framePointer: call.arguments[5])
    }
}
