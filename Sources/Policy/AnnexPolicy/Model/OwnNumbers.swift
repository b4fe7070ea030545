/// The user and the group of a sandbox, by the numbers that its programs see.
///
/// A policy cannot know these numbers, so its text names them `OWN_USER` and `OWN_GROUP`. In rules and in filters that
/// are compiled ahead, a *word* stands for each of them. Each launch replaces the words by the numbers of its sandbox.
package struct OwnNumbers: Sendable, Hashable {
    package let user: UInt32
    package let group: UInt32

    package init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }

    /// The numbers of a sandbox whose user must not be known inside: the kernel's own numbers for unknown users.
    package static let hidden = OwnNumbers(user: 65534, group: 65534)

    /// The numbers of a program whose caller cannot give it numbers of the caller's own, as root cannot. They are not
    /// those of unknown users, so that the program can tell its own files from the files of others.
    package static let programs = OwnNumbers(user: 65533, group: 65533)

    /// The words. No other argument may be compared with such a number, because `SeccompFilter` finds the words in a
    /// compiled filter by their value. `ArgumentKind.table` contains the same numbers.
    static let userWord: UInt32 = 0xE3B5_70C1
    static let groupWord: UInt32 = 0xE3B5_70C2

    static func isWord(_ half: UInt32) -> Bool { half == userWord || half == groupWord }

    /// The registers of a call with the numbers in the place of words.
    package func settled(_ registers: [UInt64]) -> [UInt64] {
        registers.map { register in
            UInt32(exactly: register).flatMap { number(of: $0) }.map(UInt64.init) ?? register
        }
    }

    /// The number for which a word stands; nil for any other number.
    func number(of word: UInt32) -> UInt32? {
        switch word {
        case Self.userWord: user
        case Self.groupWord: group
        default: nil
        }
    }
}

extension Comparison {
    private var bound: UInt64 {
        switch self {
        case .masked(_, let value), .not(let value), .below(let value), .atMost(let value), .above(let value),
            .atLeast(let value):
            value
        }
    }

    private var namesWord: Bool {
        OwnNumbers.isWord(UInt32(truncatingIfNeeded: bound)) || OwnNumbers.isWord(UInt32(bound >> 32))
    }

    /// Whether the comparison holds for the sandbox's own user, or for its own group.
    fileprivate var isWithOwn: Bool {
        guard case .masked(let mask, let value) = self, let whole = UInt32(exactly: value) else { return false }
        return UInt32(truncatingIfNeeded: mask) == .max && OwnNumbers.isWord(whole)
    }

    /// Whether the comparison contains a word, but does not ask whether an argument equals it.
    var misusesWord: Bool { namesWord && !isWithOwn }

    /// The comparison with the number of a sandbox in the place of a word.
    fileprivate func owned(by own: OwnNumbers) -> Comparison {
        guard isWithOwn, case .masked(let mask, let word) = self,
            let number = own.number(of: UInt32(truncatingIfNeeded: word))
        else { return self }
        return .masked(mask: mask, value: UInt64(number))
    }
}

extension CallRule {
    fileprivate var namesOwn: Bool { conditions.contains(where: \.namesOwn) }

    fileprivate func owned(by own: OwnNumbers) -> CallRule {
        guard namesOwn else { return self }
        let settled = conditions.map { condition in
            CallCondition(index: condition.index, alternatives: condition.alternatives.map { $0.owned(by: own) })
        }
        return CallRule(
            call: call, conditions: settled, answer: answer, reason: reason, place: place, bound: bound)
    }

    /// Rejects a word that a filter could not be compiled with: in an argument that is no user and no group, or in a
    /// comparison other than for equality.
    func checkWords(of call: SystemCall) throws(PolicyError) {
        for condition in conditions {
            let known = call.arguments ?? []
            let constants = condition.index < known.count ? known[condition.index].kind.constants : []
            for comparison in condition.alternatives {
                let isOwn = comparison.isWithOwn && constants.contains { comparison.holds($0.value) }
                guard !isOwn, comparison.isWithOwn || comparison.misusesWord else { continue }
                throw PolicyError(
                    "`\(self.call)` compares an argument with \(OwnNumbers.userWord) or \(OwnNumbers.groupWord): these "
                        + "numbers stand for OWN_USER and OWN_GROUP", at: place)
            }
        }
    }
}

extension RuleBook.Contents {
    var namesOwn: Bool { rules.values.contains { $0.contains(where: \.namesOwn) } }

    func owned(by own: OwnNumbers) -> RuleBook.Contents {
        var contents = self
        contents.rules = rules.mapValues { $0.map { $0.owned(by: own) } }
        contents.wider = wider.mapValues { $0.map { $0.owned(by: own) } }
        return contents
    }
}

extension RuleBook {
    /// The rules and the filter of a sandbox with these numbers. Rules that were not read yet stay unread.
    func owned(by own: OwnNumbers) -> RuleBook {
        if let filter {
            return RuleBook(filter: filter.owned(by: own)) { self.contents.owned(by: own) }
        }
        let contents = contents
        return contents.namesOwn ? RuleBook(contents.owned(by: own)) : self
    }
}

extension Policy {
    /// The policy of a sandbox with these numbers: `OWN_USER` and `OWN_GROUP` mean exactly them.
    package func owned(by own: OwnNumbers) -> Policy {
        var policy = self
        policy.book = book.owned(by: own)
        return policy
    }

    /// Checks that one compiled filter, with words, serves sandboxes with any numbers.
    ///
    /// The number of a sandbox may equal any number that the policy states for a user or a group. The order of a filter's
    /// comparisons could then matter. So only -1, which no user has, may stand beside a word.
    func checkCanBeSettledLater() throws(PolicyError) {
        for rules in rules.values {
            let own = rules.flatMap(\.conditions).filter(\.namesOwn).map(\.index)
            let mixed = rules.first { rule in
                rule.conditions.contains { own.contains($0.index) && !$0.namesOnlyOwn }
            }
            guard let mixed else { continue }
            throw PolicyError(
                "`\(mixed.call)` compares a user or a group with OWN_USER or OWN_GROUP and with other numbers, so its "
                    + "filter cannot be compiled ahead: state only these words and 0xffffffff", at: mixed.place)
        }
    }
}

extension CallCondition {
    fileprivate var namesOwn: Bool { alternatives.contains(where: \.isWithOwn) }

    /// Whether the condition compares its argument only with words and with -1.
    fileprivate var namesOnlyOwn: Bool {
        alternatives.allSatisfy { $0.isWithOwn || $0 == .masked(mask: 0xFFFF_FFFF, value: 0xFFFF_FFFF) }
    }
}
