internal import Synchronization

/// Counts the calls that the host expects from its extension. These calls do not spend the extension's budget of
/// frames, so the extension may make all of them at once.
final class ExpectedCalls: Sendable {
    private let left = Mutex(0)
    /// The most calls that can be expected at once.
    private static let most = 65_536

    /// Expects this number of further calls.
    func add(_ count: Int) { left.withLock { $0 = min($0 + max(count, 0), Self.most) } }

    /// Expects no further calls.
    func clear() { left.withLock { $0 = 0 } }

    /// Whether a call of this method was expected. If so, the count of expected calls decreases by one.
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
    /// Lets the extension make this many calls about items on demand without spending its budget of frames.
    package func expectCalls(_ count: Int) { state.expected.add(count) }

    /// Revokes what `expectCalls` has allowed.
    package func expectNoCalls() { state.expected.clear() }
}
