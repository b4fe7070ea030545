/// One statement of a policy about one call.
struct CallRule: Sendable, Hashable {
    let call: String
    /// The rule applies if all conditions hold. A rule without conditions always applies.
    let conditions: [CallCondition]
    let answer: CallAnswer
    let reason: String
    let place: PolicyPlace
    /// The budget that an allowed call is counted against; nil if the kernel lets the call pass by itself.
    var bound: CallBound? = nil

    func applies(to arguments: [UInt64]) -> Bool {
        conditions.allSatisfy { $0.holds(arguments) }
    }
}

/// A condition on one argument: it holds if any of the alternatives holds.
struct CallCondition: Sendable, Hashable {
    /// The argument's register, 0…5.
    let index: Int
    let alternatives: [Comparison]

    func holds(_ arguments: [UInt64]) -> Bool {
        let register = index < arguments.count ? arguments[index] : 0
        return alternatives.contains { $0.holds(register) }
    }
}

/// How a policy answers a system call.
public enum CallAnswer: Sendable, Hashable {
    case allow
    /// The call fails with `errno` and has no effect. If `reported` is false, the failure is not recorded: libraries
    /// make such calls only to probe the kernel.
    case refuse(errno: Int32, reported: Bool)
    /// The call is reported and the process is ended: only an attack makes this call.
    case end
    /// The process calls `abort()` to end itself, and the broker ends and reports it. The kernel would drop the signal,
    /// because the process is the first of its namespace.
    case aborting
}

/// The answers to calls that the policy does not mention.
package struct UnlistedCalls: Sendable, Hashable {
    /// The errno for a call that has a name.
    package let known: Int32
    /// The errno for a number that no kernel known to Annex has. New C libraries try such calls and fall back on
    /// ENOSYS.
    package let unknown: Int32
    package let place: PolicyPlace

    package init(known: Int32, unknown: Int32, place: PolicyPlace) {
        self.known = known
        self.unknown = unknown
        self.place = place
    }
}
