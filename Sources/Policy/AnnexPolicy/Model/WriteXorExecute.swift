/// `write-xor-execute: on` as conditions on system calls. Memory that was ever writable never becomes executable.
///
/// If the kernel knows `PR_SET_MDWE`, the launch also sets this option. Under these conditions, executable memory comes
/// only from files that are mapped without being writable. So a file that the program can write must not be executable.
/// For files with a path, the section `paths` and the mounts ensure that. Memory files (memfds) are not on a mount of
/// the sandbox, and can be mapped executable whatever their mode and seals are. So if a policy lets the contents of a
/// file become code, the policy must not allow `memfd_create`.
package enum WriteXorExecute {
    /// The demand on one call: the argument must fulfil one of these alternatives.
    struct Demand: Sendable {
        let argument: String
        let alternatives: [Comparison]
    }

    /// Whether the policy must not allow the call at all. The call can write to memory in spite of its protection, or
    /// it creates memory that no condition can keep from being executed.
    private static func isBarred(_ call: String, filesCanExecute: Bool) -> Bool {
        call == "memfd_secret" || call == "ptrace" || call == "memfd_create" && filesCanExecute
    }

    private static let write: UInt64 = 2
    fileprivate static let execute: UInt64 = 4

    /// The demand on a call; nil if there is none.
    static func demand(on call: String) -> Demand? {
        switch call {
        case "mmap":
            Demand(
                argument: "prot",
                alternatives: [
                    .masked(mask: execute, value: 0), .masked(mask: write | execute, value: execute),
                ])
        case "mprotect", "pkey_mprotect":
            Demand(argument: "prot", alternatives: [.masked(mask: execute, value: 0)])
        case "shmat":
            // SHM_EXEC
            Demand(argument: "flags", alternatives: [.masked(mask: 0x8000, value: 0)])
        case "personality":
            // READ_IMPLIES_EXEC makes every readable mapping executable. A value with all bits set only queries the
            // current value.
            Demand(
                argument: "persona",
                alternatives: [
                    .masked(mask: 0xFFFF_FFFF, value: 0xFFFF_FFFF), .masked(mask: 0x40_0000, value: 0),
                ])
        default: nil
        }
    }
}

extension WriteXorExecute {
    /// Narrows a policy's rules, including the rules of its includes, by these demands. The result contains only the
    /// calls whose rules change.
    static func narrowed(
        _ rules: [Int32: [CallRule]], architecture: Architecture
    ) throws(PolicyError) -> [Int32: [CallRule]] {
        var narrowed: [Int32: [CallRule]] = [:]
        let filesCanExecute = filesCanExecute(rules)
        for (number, list) in rules {
            guard let call = SystemCall(number: number, architecture: architecture) else { continue }
            if isBarred(call.name, filesCanExecute: filesCanExecute),
                let rule = list.first(where: { $0.answer == .allow })
            {
                throw PolicyError(
                    "`\(call.name)` bypasses `write-xor-execute: on`: remove the call, or state "
                        + "`write-xor-execute: off` (annex run: --allow jit)",
                    at: rule.place)
            }
            guard let demand = demand(on: call.name),
                let register = call.arguments?.firstIndex(where: { $0.name == demand.argument })
            else { continue }
            var kept: [CallRule] = []
            for rule in list {
                kept.append(rule.answer == .allow ? try rule.under(demand, register: register) : rule)
            }
            if kept != list { narrowed[number] = kept }
        }
        return narrowed
    }

    /// Whether the contents of a file can become code under these rules.
    package static func filesCanExecute(_ rules: [Int32: [CallRule]]) -> Bool {
        rules.values.joined().contains { $0.makesFilesExecutable }
    }

    /// Whether the call with these arguments would violate a demand.
    static func isBroken(by call: SystemCall, _ arguments: [UInt64], filesCanExecute: Bool) -> Bool {
        guard let demand = demand(on: call.name),
            let register = call.arguments?.firstIndex(where: { $0.name == demand.argument })
        else { return isBarred(call.name, filesCanExecute: filesCanExecute) }
        return !CallCondition(index: register, alternatives: demand.alternatives).holds(arguments)
    }
}

extension CallRule {
    /// Whether the rule lets the contents of a file become code, by mapping or by execution. The demand on `mmap` does
    /// not prevent this, because the demand still allows mappings that are executable but not writable.
    fileprivate var makesFilesExecutable: Bool {
        guard answer == .allow else { return false }
        switch call {
        case "mmap":
            let register = 2
            let about = conditions.first { $0.index == register }?.alternatives
            return !(about?.allSatisfy { $0.bars(WriteXorExecute.execute) } ?? false)
        case "execve", "execveat", "uselib": return true
        default: return false
        }
    }

    /// This rule, narrowed to the cases in which the demand also holds. Each alternative of the result joins one
    /// alternative of the rule with one alternative of the demand.
    fileprivate func under(_ demand: WriteXorExecute.Demand, register: Int) throws(PolicyError) -> CallRule {
        var others = conditions.filter { $0.index != register }
        var alternatives = demand.alternatives
        if let own = conditions.first(where: { $0.index == register }) {
            alternatives = []
            for first in own.alternatives {
                for second in demand.alternatives {
                    switch first.joined(with: second) {
                    case .comparison(let joined): alternatives.append(joined)
                    case .never: continue
                    case .inexpressible:
                        throw PolicyError(
                            "`write-xor-execute: on` needs a condition on bits or values of "
                                + "`\(demand.argument)`, not on an order",
                            at: place)
                    }
                }
            }
        }
        guard !alternatives.isEmpty else {
            throw PolicyError("the rule allows only calls that `write-xor-execute: on` forbids: remove it", at: place)
        }
        others.append(CallCondition(index: register, alternatives: alternatives))
        return CallRule(
            call: call, conditions: others, answer: answer, reason: reason, place: place, bound: bound)
    }
}
