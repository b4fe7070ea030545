/// What a launch took and what is in force.
package struct SandboxReport: Sendable {
    package struct Step: Sendable {
        package let name: String
        package let duration: Duration
    }

    /// Every step that was taken, in order.
    package let steps: [Step]
    /// The layers in force, as a reader knows them.
    package let layers: [String]
    /// The layers that were left out by name.
    package let waived: [String]
    /// What becomes of what the policy refuses: anything but `enforce` was asked for by name.
    package let denials: DenialMode
    package let isMemoryEnforced: Bool
    /// The moment, on `MonotonicClock`, at which the extension's own code began.
    package let executed: UInt64
}
