package import AnnexBrokerAPI
package import AnnexModel

/// The end of one extension with everything that a report needs: its identity, its launch and the cause of its end.
package struct EndedExtension: Sendable {
    /// The extension's bundle identifier.
    package let identifier: String
    /// The policy that it ran under.
    package let policy: String
    /// The time from the request to launch it to its end, on a clock that stops while the machine is suspended.
    package let lifetime: Duration
    /// How long the launch waited for an instance slot.
    package let waited: Duration
    /// The launch report, as far as the launch came; nil if the extension's own code never ran.
    package let launch: LaunchReport?
    /// Every limit of the policy, and the mechanism that held it.
    package let limits: [LaunchReport.Limit]
    /// The end as it is reported to the host.
    package let termination: Termination
}

extension EndedExtension {
    /// The approximate memory of this value in bytes: the texts that an extension can make long, and a constant for the
    /// rest.
    var weight: Int {
        let output = termination.lastOutput.reduce(0) { $0 + $1.description.utf8.count }
        return termination.denials.reduce(4096 + output) { $0 + $1.weight }
    }
}

extension DeniedCall {
    fileprivate var weight: Int {
        (arguments + backtrace).reduce(256 + (allowingLine?.utf8.count ?? 0)) { $0 + $1.description.utf8.count }
    }
}
