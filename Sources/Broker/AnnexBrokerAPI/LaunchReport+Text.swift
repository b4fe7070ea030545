internal import AnnexModel

extension LaunchReport: CustomStringConvertible {
    /// A summary, one fact per line: how long the launch took, its policy, its layers and its limits.
    public var description: String {
        guard !policy.isEmpty else { return "not launched yet" }
        var lines = [
            "ready in \(total.short) under \(policy)" + (waited > .zero ? ", after \(waited.short) for a place" : "")
        ]
        let longest = steps.sorted { $0.duration > $1.duration }.prefix(5)
        lines.append("longest steps: " + longest.map { "\($0.name) \($0.duration.short)" }.joined(separator: ", "))
        lines.append("layers: " + layers.joined(separator: ", "))
        lines += waived.map { "without \($0)" }
        lines.append("limits: " + limits.map(\.description).joined(separator: ", "))
        return lines.joined(separator: "\n")
    }
}

extension LaunchReport.Waiver: CustomStringConvertible {
    /// The layer, why it is missing, and the remedy if one is known.
    public var description: String { "\(layer.rawValue): \(cause)" + (remedy.map { "; \($0)" } ?? "") }
}

extension LaunchReport.Limit: CustomStringConvertible {
    /// For example `memory 64M (control group, enforced)`.
    public var description: String { "\(name) \(bound) (\(keeper), \(enforcement.rawValue))" }
}
