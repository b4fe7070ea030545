/// Contestants that are measured side by side, in turns, under one setting.
public struct Scene: Sendable {
    public enum Topic: String, Codable, Sendable, CaseIterable {
        case latency, throughput, launch, scale
    }

    public let id: String
    public let topic: Topic
    public let title: String
    public let setting: Setting
    public let contestants: [Contestant]
    /// Whether a requirement looks at it; the others are shown when everything is asked for.
    public var isJudged = true

    public init(
        _ id: String, _ topic: Topic, _ title: String, _ setting: Setting, _ contestants: [Contestant],
        isJudged: Bool = true
    ) {
        self.id = id
        self.topic = topic
        self.title = title
        self.setting = setting
        self.contestants = contestants
        self.isJudged = isJudged
    }
}
