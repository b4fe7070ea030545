/// A bound on allowed calls that the broker enforces, because a filter cannot. The kernel refers each of these calls to
/// the broker. The broker lets the call pass, performs the call itself, or refuses it.
public enum CallBound: String, Sendable, Hashable, CaseIterable {
    /// File locks. The kernel does not charge their memory to any limit, so the broker bounds how many locks one
    /// sandbox holds. It grants exclusive locks only on files that the sandbox may write.
    case locks
    /// Connections. A filter cannot read addresses, so the broker makes each connection itself. It connects only over
    /// TCP, and only to addresses that do not belong to this machine.
    case connections
    /// Connections and own addresses of a program that reaches named hosts (`network: hosts`). The broker makes each
    /// connection, and gives addresses only to sockets of the sandbox's own network.
    case hosts
    /// Shared memory, semaphores and message queues of System V. They belong to no process, so only a control group
    /// counts their memory. If there is no such group, the broker bounds how much of this memory a sandbox may request.
    case objects
    /// Tracing with `PTRACE_O_TRACEEXIT`. A killed process then waits until its tracer lets it go. The broker admits
    /// only a tracer of its own child, so that no circle of tracers can keep itself from being killed.
    case tracing

    private static let exclusive: UInt64 = 2  // LOCK_EX

    /// Whether the broker can bound all calls that a rule allows.
    func covers(_ rule: CallRule) -> Bool {
        switch self {
        case .locks:
            guard let condition = rule.conditions.first(where: { $0.index == 1 }) else { return false }
            return parted(rule.call, alternatives: condition.alternatives)?.rest.isEmpty ?? false
        case .connections: return rule.call == "connect" && rule.conditions.isEmpty
        case .hosts: return Self.callsToHosts.contains(rule.call) && rule.conditions.isEmpty
        case .objects: return Self.callsOnObjects.contains(rule.call)
        case .tracing: return rule.call == "ptrace"
        }
    }

    /// The calls that begin a connection, or take a port.
    static let callsToHosts: Set = ["connect", "bind", "listen"]
    /// The calls that make objects of System V, and the calls that remove them.
    private static let callsOnObjects: Set = ["shmget", "shmctl", "semget", "semctl", "msgget", "msgctl"]

    /// Splits the values of a call's second argument into values that the broker can count, and all other values.
    ///
    /// - Returns: nil if the call does not take locks.
    package func parted(_ call: String, alternatives: [Comparison]) -> (counted: [Comparison], rest: [Comparison])? {
        switch call {
        case "fcntl": Self.partedCommands(alternatives)
        case "flock": Self.partedOperations(alternatives)
        default: nil
        }
    }

    /// Splits commands of fcntl. The broker cannot count locks of an open file description, because the kernel does not
    /// say which process holds such a lock. So the commands for these locks belong to the other values.
    private static func partedCommands(_ commands: [Comparison]) -> (counted: [Comparison], rest: [Comparison]) {
        let known: [Comparison] = [6, 7].map { .masked(mask: 0xFFFF_FFFF, value: $0) }  // F_SETLK, F_SETLKW
        return (commands.filter(known.contains), commands.filter { !known.contains($0) })
    }

    /// Splits operations of flock. The broker counts only operations with `LOCK_EX`, because the broker takes only
    /// exclusive locks for the program.
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

    /// The calls that may have this bound. If a policy states this bound for another call, the error lists these calls.
    var scope: String {
        switch self {
        case .locks:
            "for `flock` with `operation: { has: LOCK_EX }`, and for `fcntl` with F_SETLK and F_SETLKW alone"
        case .connections: "for `connect` without conditions"
        case .hosts: "for `connect`, `bind` and `listen` without conditions"
        case .objects: "for `shmget`, `shmctl`, `semget`, `semctl`, `msgget` and `msgctl`"
        case .tracing: "for `ptrace`"
        }
    }
}
