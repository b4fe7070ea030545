/// Contestants that are measured together, in turns, under one setting.
public struct Scene: Sendable {
    public enum Topic: String, Codable, Sendable, CaseIterable {
        case latency, throughput, peers, launch, scale
    }

    public let id: String
    public let topic: Topic
    public let title: String
    public let setting: Setting
    public let contestants: [Contestant]
    /// Whether a requirement refers to this scene. Scenes without a requirement are shown only if all scenes are asked
    /// for.
    public let isJudged: Bool
    /// The most turns within a run. It is set if the usual number of turns would take too long.
    public let mostSlices: Int

    public init(
        _ id: String, topic: Topic, title: String, setting: Setting, contestants: [Contestant],
        isJudged: Bool = true, mostSlices: Int = .max
    ) {
        self.id = id
        self.topic = topic
        self.title = title
        self.setting = setting
        self.contestants = contestants
        self.isJudged = isJudged
        self.mostSlices = mostSlices
    }
}
