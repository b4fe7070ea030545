internal import AnnexLinux
internal import Synchronization

/// An action that the host performs while a program waits at a pipe.
final class TrialPause: Sendable {
    /// The step after which the program waits.
    let step: Int
    let body: @Sendable (TrialRun, TrialAnswers) async -> Void
    private let writing: Mutex<Descriptor?>

    /// - Parameter writing: the writing end of the pipe at which the program waits.
    init(
        after step: Int, writing: consuming Descriptor,
        _ body: @escaping @Sendable (TrialRun, TrialAnswers) async -> Void
    ) {
        self.step = step
        self.body = body
        self.writing = Mutex(writing)
    }

    /// Closes the pipe, so that the program continues.
    func release() {
        writing.withLock { $0 = nil }
    }
}
