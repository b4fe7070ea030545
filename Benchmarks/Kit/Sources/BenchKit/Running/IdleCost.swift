/// The cost of idle extensions, and the permitted cost.
public struct IdleCost: Codable, Sendable {
    public let title: String
    public let value: Double
    public let unit: String
    public let most: Double

    public var isReached: Bool { value <= most }
}

extension IdleCost {
    private static let bounds: [(name: String, title: String, unit: String, most: Double)] = [
        ("idle-memory", "memory per idle extension, its part of the channel included", "KiB", 1536),
        ("broker-memory", "memory per idle extension in host and broker, without channels", "KiB", 32),
        ("idle-wake-ups", "wake-ups of 1,000 idle extensions, warden and broker in 10 s", "", 0),
    ]

    public static func measured(by programs: Programs = .besideThis) throws -> [IdleCost] {
        let figures = try HostFigures.measured("idle-costs", by: programs)
        return bounds.compactMap { bound in
            figures.first { $0.name == bound.name }.map {
                IdleCost(title: bound.title, value: $0.value, unit: bound.unit, most: bound.most)
            }
        }
    }
}
