package import AnnexPolicy

/// How long each step of a launch took, and which layers and limits are in force.
package struct SandboxReport: Sendable {
    package struct Step: Sendable {
        package let name: String
        package let duration: Duration
    }

    /// A layer that was left out. `cause` says why this machine lacks it; nil if the layer was not asked for.
    package struct Waiver: Sendable {
        package let layer: SandboxLayer
        package let cause: String?
        package let remedy: String?
    }

    /// Every step of the launch, in order.
    package let steps: [Step]
    /// The names of the layers in force. A name mentions which part of the layer this machine offers.
    package let layers: [String]
    /// The layers that were left out.
    package let waived: [Waiver]
    /// What happens to denied calls and paths. Any mode but `enforce` was asked for by name.
    package let denials: DenialMode
    package let held: HeldLimits
    /// When the extension's own code began, on `MonotonicClock`.
    package let executed: UInt64

    /// Whether the kernel enforces a limit on memory of all kinds. If not, the memory is watched.
    package var isMemoryEnforced: Bool { held.isMemoryEnforced }
}
