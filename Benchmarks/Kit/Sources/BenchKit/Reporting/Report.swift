public import Foundation

/// Everything that one `annex bench` measured.
public struct Report: Codable, Sendable {
    public let date: String
    public let machine: Machine
    public let runs: Int
    public let slices: Int
    /// Nanoseconds that one look at the clock takes; part of each figure that is not from batches.
    public let scenes: [SceneReport]
    public let verdicts: [Verdict]

    /// Whether everything that was asked for was measured and reached.
    public var isReached: Bool {
        verdicts.allSatisfy { $0.state == .reached } && scenes.allSatisfy(\.failures.isEmpty)
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
