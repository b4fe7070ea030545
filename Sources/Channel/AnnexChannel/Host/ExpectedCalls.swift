internal import Synchronization

/// The extension's calls that its host has invited. They do not spend the extension's budget of frames, so an extension
/// may make all of them at once.
final class ExpectedCalls: Sendable {
    /// SYNC: relaxed: a number that only decides which budget a call spends.
    private let left = Atomic<Int>(0)
    /// The most calls that can be expected at once.
    private static let most = 65_536

    /// The first of the methods that count: those of items on demand.
    static let firstMethod: UInt16 = 0xFEF0

    /// Expects more calls.
    func add(_ count: Int) {
        let now = left.load(ordering: .relaxed)
        left.store(min(now + max(count, 0), Self.most), ordering: .relaxed)
    }

    /// Expects no calls any more.
    func clear() { left.store(0, ordering: .relaxed) }

    /// Whether a call of this method was expected. It is then counted as made.
    func take(_ method: UInt16) -> Bool {
        guard method >= Self.firstMethod, left.load(ordering: .relaxed) > 0 else { return false }
        left.subtract(1, ordering: .relaxed)
        return true
    }
}

extension HostEndpoint {
    /// Lets the extension make this many calls of the methods from 0xFEF0 on without spending its budget.
    package func expectCalls(_ count: Int) { state.expected.add(count) }

    /// Ends what `expectCalls` has allowed.
    package func expectNoCalls() { state.expected.clear() }
}
