import AnnexLinux
import AnnexPolicy
import AnnexPortalServer
import ArgumentParser

/// `annex group`: shows what the user's app groups hold.
struct GroupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group",
        abstract: "Show the user's app groups, and read and change their shared defaults.",
        discussion: """
            An app group is data that extensions and apps of one maker share: files in a container, shared defaults, \
            pasteboards and secrets. These commands work on the groups of this user, also while members run.

            EXAMPLES
              annex group list                                     all groups
              annex group show group.com.example.todo              where its files are, and how much it holds
              annex group defaults group.com.example.todo          all values
              annex group defaults group.com.example.todo open 3   set one
            """,
        subcommands: [GroupListCommand.self, GroupShowCommand.self, GroupDefaultsCommand.self])
}

/// `annex group list`: lists all groups.
struct GroupListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the user's app groups.",
        discussion: """
            Two teams may have groups of the same name; they share nothing. A team is shown by the first ten digits of its \
            public key.

            EXAMPLES
              annex group list
              annex group list --json | jq -r '.groups[].group'

            EXIT STATUS
              0   the list is printed
              1   the folder of the groups cannot be read
              64  the command line is not understood
            """)

    @OptionGroup var place: GroupOptions

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func run() throws {
        try GroupOptions.reporting { () throws(SystemError) in
            let keys = try place.keys()
            if json {
                print(JSON.object([.init("groups", value: .list(keys.map { .object($0.members) }))]).written)
            } else {
                for key in keys { print("\(PlainText.shown(key.identifier))  team \(key.shortTeam)") }
                if keys.isEmpty { print("no app groups") }
            }
        }
    }
}

/// `annex group show`: shows one group.
struct GroupShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show where the files of a group are, and how much it holds.",
        discussion: """
            EXAMPLES
              annex group show group.com.example.todo
              annex group show group.com.example.todo --json | jq .bytes

            EXIT STATUS
              0   the group is shown
              1   there is no such group, or it cannot be read
              64  the command line is not understood
            """)

    @Argument(help: "The group's identifier.")
    var group: String

    @OptionGroup var place: GroupOptions

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func run() throws {
        let key = try place.key(of: group)
        try GroupOptions.reporting { () throws(SystemError) in
            let use = try GroupUse(of: key, in: place.path())
            if json { print(JSON.object(key.members + use.members).written) } else { print(use.text(of: key)) }
        }
    }
}

extension GroupKey {
    /// The team's public key, shortened for people.
    var shortTeam: String { String(team.prefix(10)) }

    var members: [JSON.Member] { [.init("group", value: .text(identifier)), .init("team", value: .text(team))] }
}
