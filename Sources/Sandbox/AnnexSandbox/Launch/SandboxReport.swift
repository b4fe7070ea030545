package import AnnexPolicy

/// What a launch took and what is in force.
package struct SandboxReport: Sendable {
    package struct Step: Sendable {
        package let name: String
        package let duration: Duration
    }

    /// A layer that was left out: because it was not asked for, or, with the cause, because this machine lacks it.
    package struct Waiver: Sendable {
        package let layer: SandboxLayer
        package let cause: String?
        package let remedy: String?
    }

    /// Every step that was taken, in order.
    package let steps: [Step]
    /// The layers in force, as a reader knows them; what of one this machine does not offer is said with it.
    package let layers: [String]
    /// The layers that were left out by name.
    package let waived: [Waiver]
    /// What becomes of what the policy refuses: anything but `enforce` was asked for by name.
    package let denials: DenialMode
    package let held: HeldLimits
    /// The moment, on `MonotonicClock`, at which the extension's own code began.
    package let executed: UInt64

    /// Whether the kernel bounds memory of all kinds; else it is watched.
    package var isMemoryEnforced: Bool { held.isMemoryEnforced }
}
