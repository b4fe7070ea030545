package import AnnexTransferWire

/// The state of a task, which is one upload or download. The numbers are stored in the book.
package enum TaskState: Int64, Sendable, Hashable, CaseIterable {
    /// The broker takes over the files. The member that began the task has no answer yet.
    case staging = 1
    /// The task waits for the agent, the program that moves the bytes.
    case queued
    /// The agent works on the task.
    case running
    /// The member has suspended the task.
    case suspended
    /// The file of a download is whole, and goes to its place in the container.
    case placing
    /// The task has its one outcome.
    case ended

    /// The state after an event; nil if the event changes nothing in this state.
    package func next(after event: TaskEvent) -> TaskState? {
        switch (self, event) {
        case (.staging, .staged), (.running, .returned), (.suspended, .resumed): .queued
        case (.queued, .taken): .running
        case (.queued, .suspended), (.running, .suspended): .suspended
        case (.running, .whole), (.suspended, .whole): .placing
        case (.placing, .placed), (.queued, .finished), (.running, .finished), (.suspended, .finished): .ended
        default: nil
        }
    }
}

/// What happens to a task.
package enum TaskEvent: Sendable, Hashable, CaseIterable {
    /// All files are in the staging folder.
    case staged
    /// The agent got the task.
    case taken
    /// The agent no longer has the task, which has no outcome.
    case returned
    case suspended, resumed
    /// The agent has received the whole file of a download.
    case whole
    /// The file of a download is in its place, or cannot come there.
    case placed
    /// The task has an outcome for another reason.
    case finished
}

/// The one outcome of a task.
package struct TaskOutcome: Sendable, Hashable {
    /// Why the task failed: the name of a `TransferError` or of a `TaskFailure`. Nil if the server's answer arrived whole.
    package let failure: String?
    /// The server's last answer; nil if there was none.
    package let answer: TransferAnswer?

    package init(_ failure: String?, answer: TransferAnswer? = nil) {
        self.failure = failure
        self.answer = answer
    }

    package init(_ failure: TaskFailure) { self.init(failure.rawValue) }
}

/// The failures that the broker finds, apart from those that the agent reports (`TransferError`).
package enum TaskFailure: String, Sendable, Hashable, CaseIterable {
    /// The member or a user cancelled the task.
    case cancelled
    /// The user revoked a grant or removed the app.
    case revoked
    /// The session's time limit for the whole task has passed.
    case expired
    /// A staged file is gone or is not whole, for example after a power failure.
    case bodyLost
    /// The file of a download cannot come to its place: a folder on the way is missing, or a folder has its name.
    case notPlaced
    /// The book is damaged, and cannot say any more what the task was.
    case damaged
}

/// Decides when the broker starts the containing app of a session.
package enum WakeRule {
    /// How often the broker starts an app that takes no note of its session's outcomes.
    package static let mostWakings: Int64 = 3

    /// What has changed since the last decision.
    package enum Change: Sendable, Hashable, CaseIterable {
        /// A task has ended, or the broker has started.
        case outcome
        /// The process that held the session has let it go.
        case release
    }

    /// - Parameters:
    ///   - live: how many tasks have no outcome.
    ///   - unnoted: how many outcomes no process has taken note of.
    ///   - isHeld: whether a process holds the session, and so gets its news.
    ///   - woken: how often the app was started since it last took note.
    package static func mustWake(
        after change: Change, live: Int64, unnoted: Int64, isHeld: Bool, woken: Int64
    ) -> Bool {
        guard live == 0, unnoted > 0, !isHeld else { return false }
        // An app that ends without a note is not started again at once. Otherwise an app that crashes would use up all
        // of its starts for the same outcomes.
        return change == .release ? woken == 0 : woken < mostWakings
    }
}
