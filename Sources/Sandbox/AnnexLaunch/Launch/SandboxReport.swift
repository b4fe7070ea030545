internal import AnnexLinux
package import AnnexPolicy

/// How long each step of a launch took, and which layers and limits are in force.
package struct SandboxReport: Sendable {
    package struct Step: Sendable {
        package let name: String
        package let duration: Duration
    }

    /// A layer that was left out. `cause` says why this machine lacks the layer; nil if the layer was not requested.
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
    /// The treatment of denied calls and paths. Any mode other than `enforce` was the caller's explicit choice.
    package let denials: DenialMode
    package let held: HeldLimits
    package let foreignPlaces: [LaunchPlan.ForeignPlace]
    /// The hidden and protected parts.
    package let parts: PartFacts
    /// The time at which the extension's own code began, on `MonotonicClock`.
    package let executed: UInt64

    /// Whether the kernel enforces a limit on memory of all kinds. If not, the memory is watched.
    package var isMemoryEnforced: Bool { held.isMemoryEnforced }
}

extension SandboxReport {
    /// - Parameters:
    ///   - times: the time at which each step ended, as the warden reports it.
    ///   - layers: the layers in force, as the warden reports them.
    ///   - begun: the time at which the launch began, on `MonotonicClock`.
    ///   - controls: the controls of the layer `speculation` that this machine offers.
    ///   - numbersError: the errno for which the process numbers do not begin at a random place, or 0.
    ///   - missingLayers: the layers that this machine cannot provide, with the cause.
    init(
        _ times: LaunchTimes, layers: SandboxLayers, begun: UInt64, denials: DenialMode, held: HeldLimits,
        landlockABI: Int, controls: SpeculationControls, missingLayers: [MissingLayer],
        foreignPlaces: [LaunchPlan.ForeignPlace], parts: PartFacts, numbersError: Int32
    ) {
        let prepared = times.begun > begun ? times.begun - begun : 0
        steps =
            [Step(name: "prepare", duration: .nanoseconds(Int64(clamping: prepared)))]
            + times.durations.map { Step(name: $0.step.name, duration: $0.duration) }
        self.layers = Self.described(layers, landlockABI: landlockABI, controls: controls, numbersError: numbersError)
        waived = Self.waivers(SandboxLayers.all.subtracting(layers), missingLayers: missingLayers)
        self.denials = denials
        self.held = held
        self.foreignPlaces = foreignPlaces
        self.parts = parts
        executed = times.end(of: .exec) ?? MonotonicClock.now()
    }

    /// The names of the layers. The machine may offer only a part of the layers `pid`, `landlock` and `speculation`, so
    /// their names state that part.
    private static func described(
        _ layers: SandboxLayers, landlockABI: Int, controls: SpeculationControls, numbersError: Int32
    ) -> [String] {
        SandboxLayer.allCases.filter { layers.contains(SandboxLayers($0)) }.map { layer in
            switch layer {
            case .landlock: "\(layer.title) (ABI \(landlockABI))"
            case .pid where numbersError != 0:
                "\(layer.title) (process numbers begin at 2: \(Errno.name(numbersError)))"
            case .speculation: "\(layer.title) (\(controls))"
            default: layer.title
            }
        }
    }

    private static func waivers(_ absent: SandboxLayers, missingLayers: [MissingLayer]) -> [Waiver] {
        SandboxLayer.allCases.filter { absent.contains(SandboxLayers($0)) }.compactMap { layer in
            let missing = missingLayers.first { $0.layer == layer }
            // Without a cause, the policy shows no /proc. So nothing was left out.
            if layer == .processFiles, missing == nil { return nil }
            return Waiver(layer: layer, cause: missing?.seen, remedy: missing?.failure.remedy)
        }
    }
}
