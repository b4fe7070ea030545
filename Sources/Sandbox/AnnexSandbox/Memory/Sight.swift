internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// What a watch found.
package enum WatchFinding: Sendable, Hashable {
    /// More than the limit.
    case exceeded
    /// The program lives, and several looks in a row could not tell what it uses; this is why.
    case unseen(String)
}

/// Whether a watch still sees what it watches. A program that cannot be looked at counts as one that uses too much, or
/// hiding would be a way out.
final class Sight: Sendable {
    /// Looks in a row that must fail before the program ends.
    static let patience = 2
    /// The same if a look fails for a reason of the host's own, such as a lack of descriptors or memory, which passes:
    /// half a second of the memory's watch, or a moment of the host's would end every extension that it has.
    static let patienceWithHost = 5

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
            let patience = Self.canBeCausedByProgram(error.errno) ? Self.patience : Self.patienceWithHost
            return count < patience ? nil : .unseen(error.cause)
        }
    }

    /// A program that executes a file which its host must not read, and one that was moved out of the host's sight.
    private static func canBeCausedByProgram(_ errno: Int32) -> Bool {
        [EACCES, EPERM, ENOENT, ESRCH].contains(errno)
    }
}
