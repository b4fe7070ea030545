public import AnnexGroups

/// The list of things to do, which the app and its extension share. It lies in the shared defaults of their group.
public struct ToDoList: Sendable {
    public static let group = "group.com.example.todolist"
    private static let entries = DefaultsKey("entries", default: [String]())

    private let defaults: SharedDefaults

    public init() throws(PortalError) {
        defaults = try SharedDefaults(suiteName: Self.group)
    }

    /// The open entries, the oldest first.
    public var entries: [String] { defaults[Self.entries] }

    /// Adds entries. Empty ones are left out.
    /// - Returns: the number of entries that were added.
    @discardableResult
    public func add(_ texts: [String]) throws(PortalError) -> Int {
        let new = texts.filter { !$0.allSatisfy(\.isWhitespace) }
        // Another process may change the list at the same time. `update` runs the body again then, so nothing is lost.
        try defaults.update(Self.entries) { $0 += new }
        return new.count
    }

    /// Removes an entry that is done.
    /// - Parameter number: counted from 1.
    /// - Returns: the entry; nil if there is none of this number.
    public func finish(_ number: Int) throws(PortalError) -> String? {
        var done: String?
        try defaults.update(Self.entries) { entries in
            done = entries.indices.contains(number - 1) ? entries.remove(at: number - 1) : nil
        }
        return done
    }

    /// One value for each change by another process.
    public func changes() -> AsyncStream<Set<String>> { defaults.changes() }
}
