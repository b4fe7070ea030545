internal import AnnexLinux
internal import Synchronization

/// A look at a program while it waits, and the pipe that it waits at.
final class TrialLook: Sendable {
    /// The step after which it waits.
    let step: Int
    let body: @Sendable (TrialRun, TrialAnswers) async -> Void
    private let writing: Mutex<Descriptor?>

    /// - Parameter writing: the other end of what it waits at.
    init(
        after step: Int, writing: consuming Descriptor,
        _ body: @escaping @Sendable (TrialRun, TrialAnswers) async -> Void
    ) {
        self.step = step
        self.body = body
        self.writing = Mutex(writing)
    }

    /// The program goes on.
    func release() {
        writing.withLock { $0 = nil }
    }
}
