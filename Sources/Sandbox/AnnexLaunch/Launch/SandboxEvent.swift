package import AnnexPolicy

/// An event in the life of a sandbox. `started`, `executed`, `died` and `ended` come in this order, each at most once.
/// `denied`, `wrote` and `stopped` can repeat, in any order. `ended` is the last event and comes exactly once.
package enum SandboxEvent: Sendable {
    /// The process exists and has this number; none of its own code runs yet.
    case started(process: Int32)
    /// The process's own code runs.
    case executed(SandboxReport)
    /// A call was denied; `total` counts all denials of this sandbox.
    case denied(Denial, total: Int)
    /// The process called `abort()`.
    case aborted
    /// The process wrote to its output; `total` counts the bytes so far.
    case wrote(total: UInt64)
    /// A signal stopped the program, which waits to be continued. Only with a reaper.
    case stopped(signal: Int32)
    /// The kernel reported the death. What the sandbox left behind is examined, and `ended` follows.
    case died
    case ended(SandboxEnd)
}

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
    /// The names of the layers in force. If this machine offers only part of a layer, the name states that part.
    package let layers: [String]
    /// The layers that were left out.
    package let waived: [Waiver]
    /// What happens to denied calls and paths. The caller chose any mode other than `enforce` explicitly.
    package let denials: DenialMode
    package let held: HeldLimits
    /// When the extension's own code began, on `MonotonicClock`.
    package let executed: UInt64

    /// Whether the kernel enforces a limit on memory of all kinds. If not, the memory is watched.
    package var isMemoryEnforced: Bool { held.isMemoryEnforced }
}
