/// One step of a launch, as Annex's launch reports state it.
public struct LaunchStep: Codable, Sendable {
    public let name: String
    /// The mean over the launches in the middle.
    public let microseconds: Double
}

extension LaunchStep {
    /// The name of the whole time, from the request to the first answer. It is measured separately from its steps.
    static let total = "total"

    /// Every step of a launch, in order, and the total.
    public static func measured(by programs: Programs = .besideThis) throws -> [LaunchStep] {
        try HostFigures.measured("launch-steps", by: programs).map {
            LaunchStep(name: $0.name, microseconds: $0.value / 1e3)
        }
    }
}
