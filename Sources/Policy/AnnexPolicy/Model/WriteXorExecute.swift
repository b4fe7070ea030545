/// `write-xor-execute: on` as conditions on system calls: memory that was ever writable never becomes executable.
///
/// By rules; the kernel's own promise (`PR_SET_MDWE`) is made beside them where the kernel knows it.
/// Executable memory comes from files only, mapped without being writable; so what can be written must not be
/// executable as a file either: `paths` and the mounts see to that. Memory files lie on no mount of ours and can be mapped
/// executable whatever their mode and seals, so they are not made at all where the contents of a file can become code.
enum WriteXorExecute {
    /// What one call must observe: any of these for that argument.
    struct Demand: Sendable {
        let argument: String
        let alternatives: [Comparison]
    }

    /// Calls that write past the protection of memory, or give memory that no condition can hold.
    ///
    /// - Parameter filesCanExecute: whether the contents of a file can become code at all.
    private static func isBarred(_ call: String, filesCanExecute: Bool) -> Bool {
        call == "memfd_secret" || call == "ptrace" || call == "memfd_create" && filesCanExecute
    }

    private static let write: UInt64 = 2
    fileprivate static let execute: UInt64 = 4

    /// What each call must observe.
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
            // READ_IMPLIES_EXEC makes every readable mapping executable; all ones only asks.
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
    /// The rules of a joined policy under these demands: only the calls whose rules change.
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
                throw PolicyError("`\(call.name)` gets past `write-xor-execute: on`", at: rule.place)
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
    static func filesCanExecute(_ rules: [Int32: [CallRule]]) -> Bool {
        rules.values.joined().contains { $0.makesFilesExecutable }
    }

    /// Whether the call would break what is demanded.
    static func isBroken(by call: SystemCall, _ arguments: [UInt64], filesCanExecute: Bool) -> Bool {
        guard let demand = demand(on: call.name),
            let register = call.arguments?.firstIndex(where: { $0.name == demand.argument })
        else { return isBarred(call.name, filesCanExecute: filesCanExecute) }
        return !CallCondition(index: register, alternatives: demand.alternatives).holds(arguments)
    }
}

extension CallRule {
    /// Whether this lets the contents of a file become code, whatever else is demanded: mapped, or run.
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

    /// This rule where the demand holds as well: the product of the alternatives.
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
                            "`write-xor-execute: on` needs bits or values of `\(demand.argument)`, not an order",
                            at: place)
                    }
                }
            }
        }
        guard !alternatives.isEmpty else {
            throw PolicyError("allows only what `write-xor-execute: on` forbids", at: place)
        }
        others.append(CallCondition(index: register, alternatives: alternatives))
        return CallRule(
            call: call, conditions: others, answer: answer, reason: reason, place: place, bound: bound)
    }
}
