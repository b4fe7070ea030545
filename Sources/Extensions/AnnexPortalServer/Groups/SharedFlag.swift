internal import AnnexLinux
internal import AnnexPortal
internal import Synchronization

/// A flag that several processes share. The flag is a word of the group's shared page. The word is not 0 while at
/// least one process has raised the flag. Members of the group read the word without a system call.
///
/// A process that raises the flag holds a shared lock on a byte of a file that only brokers open. The kernel frees
/// the lock if the process is killed. Before a process lowers the word, it takes the exclusive lock. The kernel
/// grants this lock only while no process has raised the flag.
final class SharedFlag: Sendable {
    /// How many times a process tries to get the shared lock. Another process may hold the exclusive lock for some
    /// microseconds, to check whether any process still has the flag raised.
    private static let attempts = 100

    private let page: SharedPage
    private let offset: Int
    private let file: Descriptor
    private let isRaised = Mutex(false)

    /// - Parameters:
    ///   - offset: the offset of the word, one of `GroupWords`. The lock of the flag is the byte with the same offset.
    ///   - file: an open file description that only this flag uses.
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

    /// Lowers the word if all processes that raised the flag were killed.
    func lowerIfForgotten() {
        isRaised.withLock { isRaised in if !isRaised { clear() } }
    }

    /// Lowers the word if no process has raised the flag. Before this call, this process must release the shared
    /// lock, because its exclusive lock would replace its own shared lock.
    private func clear() {
        guard page.load(offset) != 0, let isAlone = try? file.lock(.byte(UInt64(offset)), as: .exclusive), isAlone
        else {
            return
        }
        page.set(offset, to: 0)
        file.unlock(.byte(UInt64(offset)))
    }
}
