import AnnexActivation
import AnnexHost
import AnnexPolicy
import ArgumentParser

/// The options that name files, URLs and texts. With these options, `annex list` prints which extensions are offered
/// for the named things.
struct OfferedThings: ParsableArguments {
    @Option(
        name: .customLong("for"), parsing: .upToNextOption,
        help: ArgumentHelp("Decide which extensions are offered for these files.", valueName: "file"),
        completion: .file())
    var files: [String] = []

    @Option(help: "Decide for this text. Only its being there counts, not its words.")
    var text: String?

    @Option(help: "Decide for this URL. May be given more than once.")
    var url: [String] = []

    @Option(help: "Decide for the extensions of this app, which need not be installed.", completion: .directory)
    var app: [String] = []

    var isGiven: Bool { !files.isEmpty || text != nil || !url.isEmpty }

    /// One item with all files and URLs, or with the text if the command line names no file and no URL. The item has
    /// the form that `annex request` sends.
    /// - Parameter types: the types that the host knows.
    func items(_ types: TypeTable) throws -> OfferedItems {
        let attached = try files.map { [try Self.type(ofFile: $0, in: types)] } + url.map { [Self.type(ofURL: $0)] }
        guard attached.isEmpty else { return OfferedItems(attachments: [attached], types: types) }
        return OfferedItems([ExtensionItem(contentText: text ?? "")], types: types)
    }

    private static func type(ofFile path: String, in types: TypeTable) throws -> TypeIdentifier {
        guard FileText.exists(path) else {
            StandardError.print("annex: \(Escaped(path)): does not exist; name a file that does")
            throw ExitCode(66)
        }
        return types.type(ofFile: path) ?? .data
    }

    private static func type(ofURL url: String) -> TypeIdentifier {
        url.lowercased().hasPrefix("file:") ? .fileURL : .url
    }
}

/// Prints which extensions are offered, as text or as JSON.
enum OffersText {
    /// The offered extensions in columns, then the other extensions, each with the reason why it is not offered.
    static func lines(_ offers: ExtensionOffers) -> [String] {
        let width = offers.others.map(\.installed.id.count).max() ?? 0
        let others = offers.others.map { "\($0.installed.id.padded(to: width))  \(PlainText.shown($0.why))" }
        let offered = offers.offered.isEmpty ? ["no extension is offered"] : InstalledText.lines(offers.offered)
        return others.isEmpty ? offered : offered + ["", "not offered:"] + others
    }

    static func json(_ offers: ExtensionOffers) -> JSON {
        .object([
            .init("offered", value: .list(offers.offered.map { .object([.init("id", value: .text($0.id))]) })),
            .init(
                "others",
                value: .list(
                    offers.others.map {
                        .object([
                            .init("id", value: .text($0.installed.id)),
                            .init("why", value: .text(PlainText.shown($0.why))),
                        ])
                    })),
        ])
    }
}
