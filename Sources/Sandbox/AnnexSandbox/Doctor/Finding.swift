/// One thing that was tried or read, and what it means for sandboxes here.
public struct Finding: Codable, Sendable, Hashable {
    public enum Level: String, Codable, Sendable, Hashable {
        /// It is as Annex needs it.
        case works
        /// It is otherwise than usual, and nothing is lost by it.
        case note
        /// Sandboxes run, with less than there could be.
        case weaker
        /// Something that sandboxes need is not to be had.
        case missing
    }

    /// In which part of the table it stands.
    public enum Topic: String, Codable, Sendable, Hashable, CaseIterable {
        case surroundings, calls, memory, layers, files, limits, switches
    }

    /// Stable, for programs: `user-namespace`, `vm.memfd_noexec`.
    public var id: String
    public var topic: Topic
    public var title: String
    public var level: Level
    /// What was tried or read and what came of it: a call with its errno, a file with its value.
    public var seen: String
    /// What that means for Annex; nil where it works.
    public var meaning: String?
    /// A command, or what to do where no command does it.
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
