public import Foundation

/// All measurements of one `annex bench`.
public struct Report: Codable, Sendable {
    public let date: String
    public let machine: Machine
    public let runs: Int
    public let slices: Int
    public let scenes: [SceneReport]
    public let verdicts: [Verdict]
    /// The cost of idle extensions, if it was counted.
    public let costs: [IdleCost]?

    package init(
        date: String, machine: Machine, runs: Int, slices: Int, scenes: [SceneReport], verdicts: [Verdict],
        costs: [IdleCost]? = nil
    ) {
        self.date = date
        self.machine = machine
        self.runs = runs
        self.slices = slices
        self.scenes = scenes
        self.verdicts = verdicts
        self.costs = costs
    }

    /// Whether all requested scenes were measured, and all requirements reached.
    public var isReached: Bool {
        verdicts.allSatisfy { $0.state == .reached } && scenes.allSatisfy(\.isComplete)
            && (costs ?? []).allSatisfy(\.isReached)
    }

    public func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    public static func read(_ path: String) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: path)))
    }
}
