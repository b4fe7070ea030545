/// A scene's figures.
public struct SceneReport: Codable, Sendable {
    public let id: String
    public let topic: Scene.Topic
    public let title: String
    public let setting: Setting
    public let figures: [Figures]
    public let failures: [String: String]
    public let skipped: [String: String]
    public let stealPercent: Double
    /// Whether all required contestants took part. A peer is required only if it is installed.
    public let isComplete: Bool
}

extension SceneReport {
    package init(_ result: SceneResult) {
        id = result.scene.id
        topic = result.scene.topic
        title = result.scene.title
        setting = result.scene.setting
        figures = result.scene.contestants.compactMap { contestant in
            result.tallies[contestant.name].flatMap { Figures(contestant, tally: $0) }
        }
        failures = result.failures
        skipped = result.skipped
        stealPercent = result.stealPercent
        isComplete =
            result.failures.isEmpty
            && result.scene.contestants.allSatisfy { $0.kind == .peer || result.skipped[$0.name] == nil }
    }
}
