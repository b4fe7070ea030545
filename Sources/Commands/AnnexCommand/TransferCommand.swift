import AnnexHost
import AnnexModel
import AnnexPolicy
import ArgumentParser

/// `annex transfer`: shows and changes the user's background transfers.
struct TransferCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract: "Show the uploads and downloads that go on in the background, and cancel or hurry them.",
        discussion: """
            Extensions and apps begin transfers that go on when they have ended. annexd keeps them. A transfer that has \
            ended is listed until its app has taken note of the outcome.

            EXAMPLES
              annex transfer list                what goes on, and what has ended
              annex transfer show 7              everything about one transfer
              annex transfer cancel 7
              annex transfer retry 7             the next attempt now, and not after the pause
            """,
        subcommands: [
            TransferListCommand.self, TransferShowCommand.self, TransferCancelCommand.self, TransferRetryCommand.self,
        ])
}

/// `annex transfer list`: lists all transfers.
struct TransferListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the user's background transfers.",
        discussion: """
            EXAMPLES
              annex transfer list
              annex transfer list --json | jq '.transfers[] | select(.outcome == "failed")'

            EXIT STATUS
              0   the list is printed
              1   the daemon cannot read its book of transfers
              64  the command line is not understood
              69  no daemon answers
            """)

    @OptionGroup var daemon: DaemonChoice

    func run() throws {
        let all = try daemon.ask { host throws(BrokerError) in try Self.all(of: host) }
        if daemon.json {
            print(JSON.object([.init("transfers", value: .list(all.map { .object($0.members) }))]).written)
        } else {
            for one in all { print(one.line) }
            if all.isEmpty { print("no transfers") }
        }
    }

    private static func all(of host: AnnexHost) throws(BrokerError) -> [ShownTransfer] {
        var all: [ShownTransfer] = []
        while true {
            let answer = try host.transfersAndWait(.list(after: all.last?.number ?? 0))
            guard case .list(let values)? = answer["transfers"], !values.isEmpty else { return all }
            for case .dictionary(let value) in values { all.append(ShownTransfer(values: value)) }
        }
    }
}

/// `annex transfer show`: shows one transfer.
struct TransferShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show everything about one background transfer.",
        discussion: """
            EXAMPLES
              annex transfer show 7
              annex transfer show 7 --json | jq .failure

            EXIT STATUS
              0   the transfer is shown
              1   there is no such transfer
              64  the command line is not understood
              69  no daemon answers
            """)

    @OptionGroup var choice: TransferChoice

    func run() throws { try choice.ask { .show($0) } }
}

/// `annex transfer cancel`: ends one transfer.
struct TransferCancelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "End a background transfer.",
        discussion: """
            A transfer that has ended stays as it is. A transfer whose files are being taken over cannot be cancelled \
            yet, and a download whose whole file goes to its place cannot be cancelled any more.

            EXAMPLES
              annex transfer cancel 7

            EXIT STATUS
              0   the transfer has ended
              1   there is no such transfer, or it cannot be cancelled now
              64  the command line is not understood
              69  no daemon answers
            """)

    @OptionGroup var choice: TransferChoice

    func run() throws { try choice.ask { .cancel($0) } }
}

/// `annex transfer retry`: begins the next attempt of one transfer.
struct TransferRetryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Begin the next attempt of a background transfer now.",
        discussion: """
            After a failed attempt, a transfer waits from a second up to a quarter of an hour, or as long as the server \
            says, at most a day. A transfer that does not wait, or that has ended, stays as it is. A transfer \
            whose last attempt failed for good has ended: its app begins a new one.

            EXAMPLES
              annex transfer retry 7

            EXIT STATUS
              0   the transfer is shown as it is now
              1   there is no such transfer
              64  the command line is not understood
              69  no daemon answers
            """)

    @OptionGroup var choice: TransferChoice

    func run() throws { try choice.ask { .retry($0) } }
}

/// The transfer that a command is about.
struct TransferChoice: ParsableArguments {
    @Argument(help: "The number of the transfer.")
    var number: UInt64

    @OptionGroup var daemon: DaemonChoice

    func ask(_ request: (UInt64) -> TransferRequest) throws {
        let answer = try daemon.ask { host throws(BrokerError) in try host.transfersAndWait(request(number)) }
        let shown = ShownTransfer(values: answer)
        if daemon.json { print(JSON.object(shown.members).written) } else { print(shown.text) }
    }
}

/// A transfer as the daemon describes it.
struct ShownTransfer {
    let values: [String: ItemValue]

    var number: UInt64 {
        guard case .integer(let number)? = values["number"] else { return .max }
        return UInt64(clamping: number)
    }

    /// The keys in the order in which they are shown.
    private static let keys = [
        "number", "kind", "state", "outcome", "failure", "status", "url", "session", "group", "app", "member", "sent",
        "received", "expected", "attempts", "lastFailure", "due", "expires", "files",
    ]

    var members: [JSON.Member] {
        Self.keys.compactMap { key in values[key].map { .init(key, value: Self.json($0)) } }
    }

    private static func json(_ value: ItemValue) -> JSON {
        switch value {
        case .integer(let number): .number(Int(number))
        case .list(let values): .list(values.map(json))
        case .string(let text): .text(text)
        default: .text("\(value)")
        }
    }

    private func word(_ key: String) -> String {
        switch values[key] {
        case .string(let text)?: text
        case .integer(let number)?: "\(number)"
        case .list(let values)?:
            values.map { if case .string(let text) = $0 { text } else { "\($0)" } }.joined(separator: " ")
        default: ""
        }
    }

    var line: String {
        let end = ["failure", "status", "lastFailure"].map(word).first { !$0.isEmpty } ?? ""
        let what = [word("number"), word("kind"), word("state"), end, word("url"), word("app")]
        return PlainText.shown(what.filter { !$0.isEmpty }.joined(separator: "  "))
    }

    var text: String {
        Self.keys.filter { values[$0] != nil }
            .map { PlainText.shown("\($0): \(word($0))") }.joined(separator: "\n")
    }
}
