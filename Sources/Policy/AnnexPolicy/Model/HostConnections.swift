/// `network: hosts` as conditions on system calls: only the broker makes connections, and gives addresses to sockets.
///
/// The rules of other parts of a policy may allow `connect`, `bind` and `listen` without a bound, for example for
/// socket files. With named hosts, the broker sees each of these calls too. A call that sends bytes must not begin a
/// connection by itself.
enum HostConnections {
    /// `MSG_FASTOPEN`: the call also connects.
    private static let fastOpen: UInt64 = 0x2000_0000
    private static let sending: Set = ["sendto", "sendmsg", "sendmmsg"]

    /// The rules that change, by call number.
    static func narrowed(
        _ rules: [Int32: [CallRule]], architecture: Architecture
    ) throws(PolicyError) -> [Int32: [CallRule]] {
        var narrowed: [Int32: [CallRule]] = [:]
        for (number, list) in rules {
            guard let call = SystemCall(number: number, architecture: architecture) else { continue }
            var kept: [CallRule] = []
            for rule in list { kept.append(rule.answer == .allow ? try Self.narrowed(rule, of: call) : rule) }
            if kept != list { narrowed[number] = kept }
        }
        return narrowed
    }

    private static func narrowed(_ rule: CallRule, of call: SystemCall) throws(PolicyError) -> CallRule {
        if CallBound.callsToHosts.contains(call.name) { return try bounded(rule) }
        guard sending.contains(call.name), let register = call.arguments?.firstIndex(where: { $0.name == "flags" })
        else {
            return rule
        }
        let demand = CallDemand(
            argument: "flags", alternatives: [.masked(mask: fastOpen, value: 0)], of: "network: hosts")
        return try rule.under(demand, register: register)
    }

    private static func bounded(_ rule: CallRule) throws(PolicyError) -> CallRule {
        guard rule.conditions.isEmpty else {
            throw PolicyError(
                "with `network: hosts`, `\(rule.call)` is allowed without conditions: remove them", at: rule.place)
        }
        return CallRule(
            call: rule.call, conditions: [], answer: rule.answer, reason: rule.reason, place: rule.place, bound: .hosts)
    }
}
