import AnnexBrokerAPI
import AnnexModel
import AnnexRegistry

@testable import AnnexBroker

extension EndedExtension {
    /// An example of an end.
    static func example(
        _ identifier: String = "com.example.shout.loud", _ termination: Termination = Termination(.completed)
    ) -> EndedExtension {
        EndedExtension(
            identifier: identifier, instance: Instance(identifier, version: .unstated), policy: "compute",
            lifetime: .milliseconds(1500), waited: .milliseconds(12),
            launch: LaunchReport(
                steps: [.init(name: "clone", duration: .nanoseconds(123_456))], layers: ["user namespace"],
                waived: [.init(layer: .landlock, cause: "ENOSYS", remedy: "a newer kernel")], policy: "compute",
                memoryLimit: 1 << 20, memory: .enforced),
            limits: [.init(name: "memory", bound: "1M", enforcement: .enforced, keeper: "control group")],
            termination: termination)
    }
}
