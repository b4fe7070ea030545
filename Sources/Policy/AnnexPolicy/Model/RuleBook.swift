internal import Synchronization

/// The rules of a policy about calls: at hand, or still to be read from its text.
///
/// A launch under a policy that was compiled ahead needs its filter only; the rules are for who asks why.
final class RuleBook: Sendable {
    struct Contents: Sendable, Hashable {
        var rules: [Int32: [CallRule]] = [:]
        var wider: [Int32: [CallRule]] = [:]
    }

    /// The filter for exactly these rules, where it was compiled ahead.
    let filter: SeccompFilter?
    private let known: Mutex<Contents?>
    private let read: @Sendable () -> Contents

    init(_ contents: Contents) {
        filter = nil
        known = Mutex(contents)
        read = { contents }
    }

    /// - Parameter read: the rules that `filter` was compiled from; asked once at most.
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
