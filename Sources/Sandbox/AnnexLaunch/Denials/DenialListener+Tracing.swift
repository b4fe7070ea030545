internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

extension DenialListener {
    /// Handles a `ptrace` call after which the traced process, if it is killed, waits until its tracer lets it go.
    /// The broker lets the call pass only if the traced process is a child of the tracer.
    ///
    /// The kernel performs the call later than this check. Until then, the child may have ended, and a younger
    /// process may have got its number. Even then, each tracer is older than the process that it traces. So tracers
    /// form no circle, and the oldest tracer waits for no other tracer when it is killed.
    func trace(_ call: HeldCall, verdict: Verdict) {
        // A process can have hundreds of children. So this check has a thread of its own, and holds up no other sandbox.
        let isTaken = tracers.perform { [weak self] in self?.judgeTracer(call, verdict: verdict) }
        if !isTaken { denyTracer(call, verdict: verdict) }
    }

    private func judgeTracer(_ call: HeldCall, verdict: Verdict) {
        let traced = UInt32(truncatingIfNeeded: call.arguments[1])
        if Self.isChild(traced, ofThread: call.thread) {
            settle(call, with: .proceed)
        } else {
            denyTracer(call, verdict: verdict)
        }
    }

    /// Reports the denial on the event loop that reports all denials.
    private func denyTracer(_ call: HeldCall, verdict: Verdict) {
        answers.execute { [weak self] in
            self?.deny(call, verdict: verdict, decision: .deny(errno: EPERM), answer: .denied(errno: EPERM))
        }
    }

    /// - Parameters:
    ///   - number: the number of a process in the sandbox.
    ///   - thread: the number of a thread as the broker sees it.
    static func isChild(_ number: UInt32, ofThread thread: UInt32) -> Bool {
        guard let parent = status(of: Int32(clamping: thread))?.process,
            let children = try? ProcessTree.children(of: Int32(clamping: parent))
        else { return false }
        return children.contains { status(of: $0)?.innermost == number }
    }

    private static func status(of process: Int32) -> ProcessStatus? {
        ProcessText.read("/proc/\(process)/status").flatMap(ProcessStatus.read)
    }
}
