/// `write-xor-execute: on` as conditions on system calls. Memory that was ever writable never becomes executable.
///
/// If the kernel knows `PR_SET_MDWE`, the launch also sets this option. Under these conditions, executable memory comes
/// only from files that are mapped without being writable. So a file that the program can write must not be executable.
/// For files with a path, the section `paths` and the mounts ensure that. Memory files (memfds) are not on a mount of
/// the sandbox, and can be mapped executable whatever their mode and seals are. So if a policy lets the contents of a
/// file become code, the policy must not allow `memfd_create`.
package enum WriteXorExecute {
    /// Whether the policy must not allow the call at all. The call can write to memory in spite of its protection, or
    /// it creates memory that no condition can keep from being executed.
    private static func isBarred(_ call: String, filesCanExecute: Bool) -> Bool {
        call == "memfd_secret" || call == "ptrace" || call == "memfd_create" && filesCanExecute
    }

    private static let write: UInt64 = 2
    fileprivate static let execute: UInt64 = 4

    /// The demand on a call; nil if there is none.
    static func demand(on call: String) -> CallDemand? {
        func demand(_ argument: String, among alternatives: [Comparison]) -> CallDemand {
            CallDemand(argument: argument, alternatives: alternatives, of: "write-xor-execute: on")
        }
        return switch call {
        case "mmap":
            demand("prot", among: [.masked(mask: execute, value: 0), .masked(mask: write | execute, value: execute)])
        case "mprotect", "pkey_mprotect":
            demand("prot", among: [.masked(mask: execute, value: 0)])
        case "shmat":
            // SHM_EXEC
            demand("flags", among: [.masked(mask: 0x8000, value: 0)])
        case "personality":
            // READ_IMPLIES_EXEC makes every readable mapping executable. A value with all bits set only queries the
            // current value.
            demand(
                "persona", among: [.masked(mask: 0xFFFF_FFFF, value: 0xFFFF_FFFF), .masked(mask: 0x40_0000, value: 0)])
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
}
