internal import Synchronization

/// The extension's calls that its host has invited. They do not spend the extension's budget of frames, so an extension
/// may make all of them at once.
final class ExpectedCalls: Sendable {
    private let left = Mutex(0)
    /// The most calls that can be expected at once.
    private static let most = 65_536

    /// Expects more calls.
    func add(_ count: Int) { left.withLock { $0 = min($0 + max(count, 0), Self.most) } }

    /// Expects no calls any more.
    func clear() { left.withLock { $0 = 0 } }

    /// Whether a call of this method was expected. It is then counted as made.
    func take(_ method: UInt16) -> Bool {
        guard ReservedMethods.itemLoads.contains(method) else { return false }
        return left.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return true
        }
    }
}

extension HostEndpoint {
    /// Lets the extension make this many calls about items on demand without spending its budget.
    package func expectCalls(_ count: Int) { state.expected.add(count) }

    /// Ends what `expectCalls` has allowed.
    package func expectNoCalls() { state.expected.clear() }
}
