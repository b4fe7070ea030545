import AnnexHost
import AnnexPolicy
import ArgumentParser

/// `annex request`: sends one request to an extension, and stores its answer.
struct RequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Send one request to an extension, and print and store its answer.",
        discussion: """
            The extension gets one item. The item has the text, the files and URLs as attachments, and the values of \
            --info. The extension gets these files and no others, and can only read them.

            The text of the answer is printed. Control characters in it are escaped. Attachments of the answer are \
            written to new files, whose names this program chooses: answer-1.png, answer-2.txt. The adjustment data of an \
            edited picture goes into answer-1.adjustments; --adjustments hands it to a later edit. No existing file is \
            replaced. This program does not look into the contents of these files.

            Without --app, the extension is one of those that annexd offers. With --app, this program has a broker of \
            its own and needs no daemon.

            EXAMPLES
              annex request com.example.shout.loud --text hello
              annex request com.example.pictures.editor --file holiday.jpg --info edit=sepia --out edited
              annex request com.example.filters.editor --app Filters.app --file sea.ppm --info filter=sepia
              annex request com.example.filters.editor --app Filters.app --file sea.ppm --adjustments answer-1.adjustments \
            --info filter=undo
              annex request com.example.shout.loud --app Shout.app --text - < letter.txt
              annex request com.example.pictures.editor --file holiday.jpg --json | jq -r '.items[].attachments[].file'

            EXIT STATUS
              0   the extension answered, and its answer is stored
              1   the broker rejects the request, the extension answers with an error or ends, or the answer cannot be \
            stored; the reason is printed
              64  the command line is not understood
              66  a file of the request cannot be read
              69  no daemon answers
            """)

    @Argument(help: "The extension's bundle identifier.")
    var identifier: String

    @Option(help: "Launch the extension from this app, with a broker of this program's own.", completion: .directory)
    var app: [String] = []

    @Option(help: "The extension point that the extension must serve.")
    var point: String?

    @OptionGroup var content: RequestContent

    @Option(
        help: "The folder for the attachments of the answer. It is made if it does not exist.", completion: .directory)
    var out = "."

    @OptionGroup var daemon: DaemonChoice

    func validate() throws {
        try daemon.checkAlone(apps: app)
    }

    func run() async throws {
        SignalledExit.begin()
        let host = try daemon.host(ofApps: app)
        let item = try content.item(try daemon.reporting { () throws(BrokerError) in try host.typesAndWait() })
        let outcome = await RequestOutcome(storingIn: out) {
            let session = try await host.begin(identifier, as: point)
            do throws(HostError) {
                let answer = try await session.request([item], accepting: RequestOutcome.acceptance)
                return (answer, await session.complete())
            } catch {
                _ = await session.cancel()
                throw error
            }
        }
        if daemon.json { print(outcome.json.written) } else { outcome.printLines() }
        if let failure = outcome.failure {
            StandardError.print("annex: \(PlainText.shown(failure))")
            throw DaemonChoice.rejected
        }
    }
}

/// The options from which the item of a request is made.
struct RequestContent: ParsableArguments {
    @Option(help: "The item's text; - reads it from standard input.")
    var text: String?

    @Option(help: "A file to attach. May be given more than once.", completion: .file())
    var file: [String] = []

    @Option(help: "A URL to attach. May be given more than once.")
    var url: [String] = []

    @Option(help: ArgumentHelp("A value for the extension. May be given more than once.", valueName: "key=value"))
    var info: [String] = []

    @Option(
        help: ArgumentHelp(
            "The earlier edit of a picture: adjustment data that this command stored. The first --file is then the original.",
            valueName: "file"), completion: .file())
    var adjustments: String?

    /// The exit code if a file of the request cannot be read.
    static let unreadable = ExitCode(66)
    /// The longest text that is read from standard input, in bytes.
    private static let longestText = 1 << 20

    func validate() throws {
        if let wrong = info.first(where: { !$0.contains("=") || $0.hasPrefix("=") }) {
            throw ValidationError("--info \(Escaped(wrong)) has no key: write key=value")
        }
        guard adjustments != nil else { return }
        if file.isEmpty { throw ValidationError("--adjustments needs --file with the original picture") }
        if info.contains(where: { $0.hasPrefix("\(AdjustmentData.userInfoKey)=") }) {
            throw ValidationError("--adjustments and --info \(AdjustmentData.userInfoKey)=… exclude each other")
        }
    }

    /// - Parameter types: the types that the host knows.
    func item(_ types: TypeTable) throws -> ExtensionItem {
        var item = ExtensionItem(attachments: try file.map { try Self.attachment($0, in: types) } + url.map(Self.link))
        item.attributedContentText = try (text == "-" ? Self.standardInput() : text).map { AttributedText($0) }
        for pair in info {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            item.userInfo[String(parts[0])] = .string(String(parts[1]))
        }
        item.userInfo[AdjustmentData.userInfoKey] = try adjustments.map { try Self.adjustmentData($0).itemValue }
        return item
    }

    private static func adjustmentData(_ path: String) throws -> AdjustmentData {
        do {
            return try AdjustmentData(archive: FileText.bytes(of: path, limit: longestText))
        } catch let error as ItemFailure {
            StandardError.print("annex: \(Escaped(path)): no adjustment data that annex request stored: \(error)")
        } catch {
            StandardError.print("annex: \(error)")
        }
        throw unreadable
    }

    private static func attachment(_ path: String, in types: TypeTable) throws -> ItemProvider {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let type = types.type(ofFile: name) ?? .data
        do throws(ItemFailure) {
            return ItemProvider(contents: try ItemContents.onDemand(path: path), types: [type], suggestedName: name)
        } catch {
            StandardError.print("annex: \(Escaped(path)): \(error)")
            throw unreadable
        }
    }

    private static func link(_ url: String) throws -> ItemProvider {
        ItemProvider(contents: try ItemContents(bytes: Array(url.utf8)), types: [.url])
    }

    private static func standardInput() throws -> String {
        do {
            return String(decoding: try FileText.bytes(of: "/dev/stdin", limit: longestText), as: UTF8.self)
        } catch {
            StandardError.print("annex: \(error)")
            throw unreadable
        }
    }
}
