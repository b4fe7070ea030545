internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// What a watch found.
package enum WatchFinding: Sendable, Hashable {
    /// More than the limit.
    case exceeded
    /// The program lives, and two looks in a row could not tell what it uses; this is why.
    case unseen(String)
}

/// Whether a watch still sees what it watches. What nobody can look at counts as too much, or hiding would be a way out.
final class Sight: Sendable {
    private let isAlive: @Sendable () -> Bool
    /// SYNC: relaxed: looks come one after another.
    private let failures = Atomic<Int>(0)

    init(_ isAlive: @escaping @Sendable () -> Bool) {
        self.isAlive = isAlive
    }

    /// Takes one look. A single one may fail: a process that ends in between has no files any more.
    func look(_ body: () throws(SystemError) -> WatchFinding?) -> WatchFinding? {
        do throws(SystemError) {
            let finding = try body()
            failures.store(0, ordering: .relaxed)
            return finding
        } catch {
            guard isAlive() else { return nil }
            let count = failures.add(1, ordering: .relaxed).newValue
            return count < 2 ? nil : .unseen(error.cause)
        }
    }
}
