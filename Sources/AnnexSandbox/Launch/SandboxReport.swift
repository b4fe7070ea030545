/// What a launch took and what is in force.
package struct SandboxReport: Sendable {
    /// Every step that was taken, in order, with its duration.
    package let steps: [(name: String, duration: Duration)]
    /// The layers in force, as a reader knows them.
    package let layers: [String]
    package let isMemoryEnforced: Bool
    /// The moment, on `MonotonicClock`, at which the extension's own code began.
    package let executed: UInt64
}
