import AnnexGroups
import AnnexLinux
import AnnexModel
import AnnexPolicy
import AnnexPortalServer
import ArgumentParser

/// `annex group defaults`: reads and changes the shared defaults of a group.
struct GroupDefaultsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "defaults",
        abstract: "Read and change the shared defaults of a group.",
        discussion: """
            A value on the command line is a whole number, a number, true or false, and else a text. With --text it is a \
            text in any case. Members that run hear of the change at once.

            EXAMPLES
              annex group defaults group.com.example.todo                 all keys and values
              annex group defaults group.com.example.todo open            one value
              annex group defaults group.com.example.todo open 3          set a whole number
              annex group defaults group.com.example.todo code --text 007
              annex group defaults group.com.example.todo open --remove

            EXIT STATUS
              0   the values are printed, or the change is made
              1   there is no such group or key, or the change was refused
              64  the command line is not understood
            """)

    @Argument(help: "The group's identifier.")
    var group: String

    @Argument(help: "A key.")
    var key: String?

    @Argument(help: "The key's new value.")
    var value: String?

    @Flag(help: "The value is a text, also if it looks like a number.")
    var text = false

    @Flag(help: "Remove the key.")
    var remove = false

    @OptionGroup var place: GroupOptions

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func validate() throws {
        if remove, value != nil { throw ValidationError("--remove takes no value.") }
        if remove, key == nil { throw ValidationError("--remove needs a key.") }
        if text, value == nil { throw ValidationError("--text needs a value.") }
    }

    func run() throws {
        let found = try place.key(of: group)
        var member: SharedDefaults?
        try GroupOptions.reporting { () throws(SystemError) in member = try open(found) }
        do {
            guard let defaults = member else { return }
            try defaults.refresh()
            try work(on: defaults)
        } catch let error as PortalError {
            StandardError.print("annex: \(PlainText.shown("\(error)"))")
            throw ExitCode(1)
        }
    }

    private func open(_ found: GroupKey) throws(SystemError) -> SharedDefaults {
        let portal = try LocalPortal.open("annex", groups: [found], in: place.path())
        do throws(PortalError) {
            return SharedDefaults(AppGroup(try JoinedGroup.join(found.identifier, through: portal)))
        } catch {
            throw SystemError("join \(found.identifier)", errno: 0, remedy: error.description)
        }
    }

    private func work(on defaults: SharedDefaults) throws {
        guard let key else { return show(defaults.values) }
        if remove { return try defaults.removeValue(forKey: key) }
        if let value { return try defaults.set(text ? .string(value) : Self.value(of: value), forKey: key) }
        guard let found = defaults.value(forKey: key) else {
            StandardError.print("annex: the group has no value for \(PlainText.shown(key))")
            throw ExitCode(1)
        }
        print(json ? found.json.written : found.shown)
    }

    private func show(_ values: [String: ItemValue]) {
        if json {
            return print(
                JSON.object(values.sorted { $0.key < $1.key }.map { .init($0.key, value: $0.value.json) }).written)
        }
        for (key, value) in values.sorted(by: { $0.key < $1.key }) { print("\(PlainText.shown(key)) = \(value.shown)") }
    }

    /// Converts a word of the command line to a value: a number, true or false if the word is one, and otherwise a
    /// string.
    static func value(of word: String) -> ItemValue {
        if let number = Int64(word) { return .integer(number) }
        if let number = Double(word), number.isFinite { return .double(number) }
        return word == "true" || word == "false" ? .bool(word == "true") : .string(word)
    }
}
