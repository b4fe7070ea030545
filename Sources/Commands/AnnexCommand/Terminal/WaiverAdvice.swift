import AnnexLaunch
import AnnexPolicy

/// What a user is told about layers that this machine lacks.
enum WaiverAdvice {
    /// The one line of `--best-effort`; no line if nothing is missing.
    static func announce(_ shortfall: Shortfall) {
        if shortfall.isEmpty { return }
        StandardError.print("annex: best effort: this machine lacks \(shortfall.summary)")
    }

    /// Names the options that start the program without the layers that this machine lacks, and what is then missing.
    /// Prints nothing if the machine has every layer, because the failure then has another cause.
    /// - Parameters:
    ///   - step: the step that failed; nil if it is not known.
    ///   - waived: the layers that the options waive already.
    static func give(after step: String? = nil, besides waived: Set<SandboxLayer>, policy: Policy? = nil) {
        guard step.map(needsLayer) ?? true, let missing = try? Shortfall.ofThisMachine(beyond: waived) else { return }
        let shortfall = policy.map { missing.needed(by: $0) } ?? missing
        if shortfall.isEmpty { return }
        StandardError.print(
            "annex: hint: to start without what this machine lacks: \(shortfall.options) (or --best-effort). Then:")
        for layer in shortfall.layers {
            StandardError.print("annex: hint:   without \(layer.rawValue): \(layer.loss)")
        }
        for warning in shortfall.warnings { StandardError.print("annex: hint:   without all of them: \(warning)") }
    }

    /// Whether the failed step may have failed for lack of a layer. Other steps fail because of the program, its files
    /// or a limit.
    private static func needsLayer(_ step: String) -> Bool {
        let others: [LaunchStep] = [.plan, .trees, .owners, .links, .files, .directory, .executable, .limits, .exec]
        let ofLayers = LaunchStep.allCases.filter { !others.contains($0) }.map(\.name)
        return (ofLayers + ["Landlock", "filter", "listener"]).contains(step)
    }
}
