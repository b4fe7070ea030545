public import AnnexGroups

/// The list of things to do, which the app and its extension share. The list is stored in the shared defaults of
/// their group.
public struct ToDoList: Sendable {
    public static let group = "group.com.example.todolist"
    private static let entries = DefaultsKey("entries", default: [String]())

    private let defaults: SharedDefaults

    public init() throws(PortalError) {
        defaults = try SharedDefaults(suiteName: Self.group)
    }

    /// The open entries, the oldest first. Any member of the group may have written them, so escape them before you
    /// show them.
    public var entries: [String] { defaults[Self.entries] }

    /// Adds texts. Each line becomes one entry. Blank lines are left out.
    /// - Returns: the entries that were added.
    @discardableResult
    public func add(_ texts: [String]) throws(PortalError) -> [String] {
        let new = texts.flatMap(Self.lines)
        guard !new.isEmpty else { return [] }
        // Another process may change the list at the same time. In this case `update` runs the body again, so no
        // change is lost.
        try defaults.update(Self.entries) { $0 += new }
        return new
    }

    /// The lines that are not blank. The lines of a text from another system may end with `\r\n`, which is one
    /// character.
    private static func lines(of text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }.map(String.init)
    }

    /// A stream that gives a value after each change that any member of the group makes from now on.
    public func changes() -> AsyncStream<Set<String>> { defaults.changes() }

    /// Removes the first entry with this text.
    /// - Returns: whether there was an entry with this text.
    @discardableResult
    public func finish(_ entry: String) throws(PortalError) -> Bool {
        var isDone = false
        try defaults.update(Self.entries) { entries in
            let index = entries.firstIndex(of: entry)
            isDone = index != nil
            if let index { entries.remove(at: index) }
        }
        return isDone
    }

    /// Removes an entry that is done.
    /// - Parameter number: the position of the entry, counted from 1.
    /// - Returns: the entry; nil if no entry has this number.
    public func finish(_ number: Int) throws(PortalError) -> String? {
        var done: String?
        try defaults.update(Self.entries) { entries in
            done = entries.indices.contains(number - 1) ? entries.remove(at: number - 1) : nil
        }
        return done
    }
}
