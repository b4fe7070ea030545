package import AnnexLinux
internal import Glibc
internal import Synchronization

/// Calls a subject's `check` repeatedly while this value lives. The interval starts at the end of each check.
package final class Watch<Subject: Watched>: Sendable {
    let subject: Subject
    private let loop: EventLoop
    private let cancel = Mutex<(@Sendable () -> Void)?>(nil)
    /// SYNC: relaxed everywhere, because this value orders no other data. One extra check does no harm.
    private let isOver = Atomic<Bool>(false)

    /// - Parameter loop: the event loop that runs the checks while no thread can be made. A late check is better than
    ///   no check.
    package init(_ subject: Subject, orOn loop: EventLoop) {
        self.subject = subject
        self.loop = loop
        again()
    }

    deinit {
        cancel.withLock { $0.take() }?()
    }

    /// Ends the watch. The call does not wait for a running check.
    func finish() {
        isOver.store(true, ordering: .relaxed)
        cancel.withLock { $0.take() }?()
    }

    private func again() {
        guard !isOver.load(ordering: .relaxed) else { return }
        let next = schedule { [weak self] in self?.check() }
        cancel.withLock { $0 = next }
    }

    private func schedule(_ look: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        do throws(SystemError) {
            let number = try Lane.watches.schedule(at: MonotonicClock.deadline(after: Subject.interval), look)
            return { Lane.watches.cancel(number) }
        } catch {
            let timer = loop.schedule(after: Subject.interval, look)
            return { timer.cancel() }
        }
    }

    private func check() {
        guard !isOver.load(ordering: .relaxed) else { return }
        if subject.check() { again() } else { finish() }
    }
}

extension Lane {
    /// The lane of all checks. A file system may block a check for an unlimited time, so the checks cannot run on the
    /// program's event loop, which serves the channels. Such a check holds up the other checks too: if the lane had a
    /// patience, each check would wake the event loop of a host whose extensions are idle.
    static let watches = Lane("annex-watches")
}

/// A subject that the kernel does not limit. The subject is therefore checked at intervals.
package protocol Watched: Sendable {
    /// The time between the end of one check and the start of the next check.
    static var interval: Duration { get }

    /// Checks once. The check may take as long as a slow file system takes.
    /// - Returns: whether to check again.
    func check() -> Bool
}

/// The result of a watch.
package enum WatchFinding: Sendable, Hashable {
    /// The use exceeds the limit.
    case exceeded
    /// The program is running, but several successive checks failed to measure it. The text says why.
    case unseen(String)
}

/// Tracks whether a watch can still measure its program. A program that cannot be measured is treated as exceeding its
/// limit, so a program gains nothing by hiding.
final class Sight: Sendable {
    /// The number of successive failed checks after which the program is ended.
    static let patience = 2
    /// The corresponding number for failures that the host causes, such as a short lack of descriptors or memory. For
    /// the memory watch, five checks take half a second. A lack in the host affects all its extensions at the same
    /// time. So a smaller number would end all of them at once.
    static let patienceWithHost = 5

    private let isAlive: @Sendable () -> Bool
    /// SYNC: relaxed, because checks run one after another.
    private let failures = Atomic<Int>(0)

    init(_ isAlive: @escaping @Sendable () -> Bool) {
        self.isAlive = isAlive
    }

    /// Performs one check. A single check may fail, for example because a process ends meanwhile.
    func check(_ body: () throws(SystemError) -> WatchFinding?) -> WatchFinding? {
        do throws(SystemError) {
            let finding = try body()
            failures.store(0, ordering: .relaxed)
            return finding
        } catch {
            guard isAlive() else { return nil }
            let count = failures.add(1, ordering: .relaxed).newValue
            let patience = Self.canBeCausedByProgram(error.errno) ? Self.patience : Self.patienceWithHost
            return count < patience ? nil : .unseen(error.cause)
        }
    }

    /// Whether the program can cause this error. The program causes it by executing a file that the host is not
    /// allowed to read. The error also occurs if the host's `/proc` no longer shows the program.
    private static func canBeCausedByProgram(_ errno: Int32) -> Bool {
        [EACCES, EPERM, ENOENT, ESRCH].contains(errno)
    }
}
