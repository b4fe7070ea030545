internal import Synchronization

/// The rules of a policy about calls, read from its text on first use if the policy was compiled ahead.
///
/// A launch under such a policy needs only the filter; the rules explain its decisions.
final class RuleBook: Sendable {
    struct Contents: Sendable, Hashable {
        var rules: [Int32: [CallRule]] = [:]
        var wider: [Int32: [CallRule]] = [:]
    }

    /// The filter that was compiled ahead from these rules; nil if there is none.
    let filter: SeccompFilter?
    private let known: Mutex<Contents?>
    private let read: @Sendable () -> Contents

    init(_ contents: Contents) {
        filter = nil
        known = Mutex(contents)
        read = { contents }
    }

    /// - Parameter read: returns the rules that `filter` was compiled from; called at most once.
    init(filter: SeccompFilter?, read: @escaping @Sendable () -> Contents) {
        self.filter = filter
        known = Mutex(nil)
        self.read = read
    }

    var contents: Contents {
        known.withLock { known in
            if let known { return known }
            let contents = read()
            known = contents
            return contents
        }
    }
}

extension RuleBook: Hashable {
    static func == (one: RuleBook, other: RuleBook) -> Bool {
        one === other || one.contents == other.contents
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(contents)
    }
}
