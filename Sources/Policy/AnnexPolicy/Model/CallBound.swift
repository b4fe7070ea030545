/// A bound that the broker keeps for some allowed calls, because a filter cannot. The kernel refers such a call to the
/// broker, which lets it pass, performs it or refuses it.
public enum CallBound: String, Sendable, Hashable, CaseIterable {
    /// File locks. The kernel charges their memory to no limit, so the broker bounds how many locks one sandbox holds.
    /// It grants exclusive locks only on files that the sandbox may write.
    case locks
    /// Connections. A filter cannot read addresses, so the broker makes each connection itself: only over TCP, and only
    /// to addresses that do not belong to this machine.
    case connections

    private static let exclusive: UInt64 = 2  // LOCK_EX

    /// Whether the broker can bound all calls that a rule allows.
    func covers(_ rule: CallRule) -> Bool {
        guard self == .locks else { return rule.call == "connect" && rule.conditions.isEmpty }
        guard let condition = rule.conditions.first(where: { $0.index == 1 }) else { return false }
        return parted(rule.call, alternatives: condition.alternatives)?.rest.isEmpty ?? false
    }

    /// Splits the values of a call's second argument: values that the broker can count, and all other values.
    ///
    /// - Returns: nil for a call that takes no locks.
    package func parted(_ call: String, alternatives: [Comparison]) -> (counted: [Comparison], rest: [Comparison])? {
        switch call {
        case "fcntl": Self.partedCommands(alternatives)
        case "flock": Self.partedOperations(alternatives)
        default: nil
        }
    }

    /// Commands for locks of an open file description are among the other values. The kernel does not say which process
    /// holds such a lock, so the broker could not count it.
    private static func partedCommands(_ commands: [Comparison]) -> (counted: [Comparison], rest: [Comparison]) {
        let known: [Comparison] = [6, 7].map { .masked(mask: 0xFFFF_FFFF, value: $0) }  // F_SETLK, F_SETLKW
        return (commands.filter(known.contains), commands.filter { !known.contains($0) })
    }

    /// Operations with `LOCK_EX` can be counted: the broker takes only exclusive locks for the program.
    private static func partedOperations(_ operations: [Comparison]) -> (counted: [Comparison], rest: [Comparison]) {
        var parts: (counted: [Comparison], rest: [Comparison]) = ([], [])
        for operation in operations {
            guard case .masked(let mask, let value) = operation else {
                parts.rest.append(operation)
                continue
            }
            if mask & exclusive == 0 || value & exclusive != 0 {
                parts.counted.append(.masked(mask: mask | exclusive, value: value | exclusive))
            }
            if value & exclusive == 0 { parts.rest.append(.masked(mask: mask | exclusive, value: value)) }
        }
        return parts
    }

    /// The calls that may have this bound. The error about any other call lists them.
    var scope: String {
        switch self {
        case .locks:
            "for `flock` with `operation: { has: LOCK_EX }`, and for `fcntl` with F_SETLK and F_SETLKW alone"
        case .connections: "for `connect` without conditions"
        }
    }
}
