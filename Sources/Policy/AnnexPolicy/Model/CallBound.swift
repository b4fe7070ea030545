/// What an allowed call is counted against: the kernel refers it to the broker, which lets it pass or refuses it.
public enum CallBound: String, Sendable, Hashable, CaseIterable {
    /// File locks. The kernel charges their memory to no limit, so the broker bounds how many one sandbox holds, and gives
    /// exclusive ones only where the sandbox may write.
    case locks

    private static let exclusive: UInt64 = 2  // LOCK_EX

    /// Whether the broker can bound everything that a rule allows.
    func covers(_ rule: CallRule) -> Bool {
        guard let condition = rule.conditions.first(where: { $0.index == 1 }) else { return false }
        return parted(rule.call, condition.alternatives)?.rest.isEmpty ?? false
    }

    /// What the second argument of a call can be, in two: what can be counted, and the rest.
    ///
    /// - Returns: nil for a call that takes no locks.
    func parted(_ call: String, _ alternatives: [Comparison]) -> (counted: [Comparison], rest: [Comparison])? {
        switch call {
        case "fcntl": Self.partedCommands(alternatives)
        case "flock": Self.partedOperations(alternatives)
        default: nil
        }
    }

    /// Locks of an open file description say nothing of their process, so that nobody could count them.
    private static func partedCommands(_ commands: [Comparison]) -> (counted: [Comparison], rest: [Comparison]) {
        let known: [Comparison] = [6, 7].map { .masked(mask: 0xFFFF_FFFF, value: $0) }  // F_SETLK, F_SETLKW
        return (commands.filter(known.contains), commands.filter { !known.contains($0) })
    }

    /// Only an exclusive lock is taken on the program's behalf.
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
}
