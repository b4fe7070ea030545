/// What an allowed call is counted against: the kernel refers it to the broker, which lets it pass or refuses it.
public enum CallBound: String, Sendable, Hashable, CaseIterable {
    /// File locks. The kernel charges their memory to no limit, so the broker bounds how many one sandbox holds, and gives
    /// exclusive ones only where the sandbox may write.
    case locks

    /// Whether the broker can bound everything that a rule allows.
    func covers(_ rule: CallRule) -> Bool {
        if rule.call == "flock" { return true }
        guard rule.call == "fcntl", let command = rule.conditions.first(where: { $0.index == 1 }) else { return false }
        return parted(command.alternatives).rest.isEmpty
    }

    /// The commands of `fcntl` that can be counted, and the others. Locks of an open file description say nothing of
    /// their process, so that nobody could count them.
    func parted(_ commands: [Comparison]) -> (counted: [Comparison], rest: [Comparison]) {
        let known: [Comparison] = [6, 7].map { .masked(mask: 0xFFFF_FFFF, value: $0) }  // F_SETLK, F_SETLKW
        return (commands.filter(known.contains), commands.filter { !known.contains($0) })
    }
}
