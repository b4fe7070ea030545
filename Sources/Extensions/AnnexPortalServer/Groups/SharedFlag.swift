internal import AnnexLinux
internal import AnnexPortal
internal import Synchronization

/// A word of the group's page that is not 0 while a process has raised the flag. Members read it without a system call.
///
/// A process that raises the flag holds a shared lock on a byte of a file that only brokers open. The kernel frees the lock if
/// the process is killed. Only a process that gets the exclusive lock lowers the word: so no process has raised it then.
final class SharedFlag: Sendable {
    /// How often a process tries to raise the flag while others look whether it is forgotten. They need microseconds.
    private static let attempts = 100

    private let page: SharedPage
    private let offset: Int
    private let file: Descriptor
    private let isRaised = Mutex(false)

    /// - Parameters:
    ///   - offset: the word, one of `GroupWords`. Its lock is the byte with the same offset.
    ///   - file: an open file description of this flag alone.
    init(_ page: SharedPage, at offset: Int, locking file: consuming Descriptor) {
        self.page = page
        self.offset = offset
        self.file = file
    }

    func raise() {
        isRaised.withLock { isRaised in
            guard !isRaised else { return }
            isRaised = true
            for _ in 0..<Self.attempts {
                if let isLocked = try? file.lock(.byte(UInt64(offset)), as: .shared), isLocked { break }
                MonotonicClock.pause()
            }
            page.set(offset, to: 1)
        }
    }

    func lower() {
        isRaised.withLock { isRaised in
            guard isRaised else { return }
            isRaised = false
            file.unlock(.byte(UInt64(offset)))
            clear()
        }
    }

    /// Lowers the word if the processes that raised it were killed.
    func lowerIfForgotten() {
        isRaised.withLock { isRaised in if !isRaised { clear() } }
    }

    /// This process must not hold the shared lock, because the exclusive one would replace it.
    private func clear() {
        guard page.load(offset) != 0, let isAlone = try? file.lock(.byte(UInt64(offset)), as: .exclusive), isAlone
        else {
            return
        }
        page.set(offset, to: 0)
        file.unlock(.byte(UInt64(offset)))
    }
}
