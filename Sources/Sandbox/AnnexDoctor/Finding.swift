internal import AnnexLaunch

/// One feature that was tried, or setting that was read, and what it means for sandboxes here.
public struct Finding: Codable, Sendable, Hashable {
    public enum Level: String, Codable, Sendable, Hashable {
        /// Works as Annex needs it.
        case works
        /// Differs from the usual, without a loss of protection.
        case note
        /// Sandboxes run, with less protection than Annex can give.
        case weaker
        /// Something that sandboxes need is missing.
        case missing
    }

    /// The part of the doctor's table to which a finding belongs.
    public enum Topic: String, Codable, Sendable, Hashable, CaseIterable {
        case surroundings, calls, memory, layers, files, limits, switches
    }

    /// A stable identifier for programs, such as `user-namespace` or `vm.memfd_noexec`.
    public var id: String
    public var topic: Topic
    public var title: String
    public var level: Level
    /// The evidence: a call with its errno, or a file with its value.
    public var seen: String
    /// The consequence for Annex; nil if there is none.
    public var meaning: String?
    /// The remedy: a command, or instructions if no command suffices; nil if none is needed or known.
    public var remedy: String?

    init(
        _ id: String, _ topic: Topic, _ title: String, _ level: Level, seen: String, meaning: String? = nil,
        remedy: String? = nil
    ) {
        self.id = id
        self.topic = topic
        self.title = title
        self.level = level
        self.seen = seen
        self.meaning = meaning
        self.remedy = remedy
    }
}
