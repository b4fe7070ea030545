import AnnexBundle
import AnnexLinux
import AnnexPolicy
import AnnexRegistry
import ArgumentParser

/// `annex validate`: finds every fault of an app before the app is shipped.
struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Show every fault of apps and their extensions, with the remedy, before you ship them.",
        discussion: """
            The command checks layout, property lists, names, versions, programs and entitlements. It also checks that each \
            extension keeps the rules of its extension point: the kinds of its attributes, and the entitlements that the \
            point allows. Nothing is installed or changed, and nothing of the app is started.

            Each finding is an error, a warning or advice. Because of an error, Annex refuses the app or the extension. With \
            a warning it is accepted, but a part of it does not do what you probably expect. Each finding ends with the \
            name of its rule, in brackets. Docs/Guide/Bundles.md explains the rules.

            EXAMPLES
              annex validate Pictures.app              every finding, with its file, its key and the remedy
              annex validate *.app                     several apps
              annex validate Plugin.app --points ./points    an app for extension points of your own
              annex validate Pictures.app --json | jq -r '.apps[].findings[] | select(.severity == "error") | .file'

            EXIT STATUS
              0   no errors; also if there are warnings and advice
              1   at least one error
              2   a point in the folder of --points cannot be read
              64  the command line is not understood
            """)

    @Argument(help: "Directories of apps, each named Name.app.", completion: .directory)
    var apps: [String]

    @Option(help: "A folder of extension points, which are added to the built-in ones.", completion: .directory)
    var points: String?

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func run() throws {
        let library = try PolicyFailure.reported { try PointLibrary(addingIfGiven: points) }
        let results = apps.map { app in
            (app: app, validation: BundleValidation(app: app) { library.findings(about: $0) })
        }
        if json {
            let list = results.map { FindingText.json($0.validation, of: $0.app) }
            print(JSON.object([.init("apps", value: .list(list))]).written)
        } else {
            let text = FindingText(style: .forStandardOutput())
            for result in results { text.show(result.validation, of: result.app) }
        }
        if results.contains(where: \.validation.hasErrors) { throw ExitCode.failure }
    }
}

/// Prints the findings of a bundle's validation, as text or as JSON.
struct FindingText {
    let style: Style

    /// Prints the findings in order, and a line that counts them.
    func show(_ validation: BundleValidation, of app: String) {
        for finding in validation.findings {
            let fault = finding.fault
            print("\(mark(finding.severity)) \(style.bold(fault.place)): \(fault.what) (\(fault.rule.rawValue))")
            for (index, line) in Columns.wrapped(fault.remedy, width: 86).enumerated() {
                print("    \((index == 0 ? "remedy" : "").padded(to: 8))\(line)")
            }
        }
        print(summary(of: validation, app: app))
    }

    private func mark(_ severity: BundleFinding.Severity) -> String {
        switch severity {
        case .error: style.bad("error:")
        case .warning: style.bold("warning:")
        case .advice: style.faint("advice:")
        }
    }

    private func summary(of validation: BundleValidation, app: String) -> String {
        let name = PlainText.shown(app)
        let omitted = validation.omitted > 0 ? "; \(validation.omitted) more findings are not shown" : ""
        guard !validation.findings.isEmpty else { return style.good("✓ ") + "\(name): nothing found" }
        let counts = BundleFinding.Severity.allCases.compactMap { severity -> String? in
            let count = validation.count(of: severity)
            return count == 0 ? nil : Self.words(for: severity, count: count)
        }
        let sign = validation.hasErrors ? style.bad("✗ ") : style.good("✓ ")
        return "\(sign)\(name): \(counts.joined(separator: ", "))\(omitted)"
    }

    private static func words(for severity: BundleFinding.Severity, count: Int) -> String {
        switch severity {
        case .error: "\(count) error\(count == 1 ? "" : "s")"
        case .warning: "\(count) warning\(count == 1 ? "" : "s")"
        case .advice: "\(count) piece\(count == 1 ? "" : "s") of advice"
        }
    }

    static func json(_ validation: BundleValidation, of app: String) -> JSON {
        .object([
            .init("app", value: .bounded(app)),
            .init("isAccepted", value: .boolean(!validation.hasErrors)),
            .init("findings", value: .list(validation.findings.map(json))),
            .init("omitted", value: .number(validation.omitted)),
        ])
    }

    private static func json(_ finding: BundleFinding) -> JSON {
        .object([
            .init("severity", value: .text(finding.severity.rawValue)),
            .init("file", value: .text(Escaped.plain(finding.fault.file))),
            .init("key", value: .optional(finding.fault.key.map(Escaped.plain))),
            .init("rule", value: .text(finding.fault.rule.rawValue)),
            .init("what", value: .text(finding.fault.what)),
            .init("remedy", value: .text(finding.fault.remedy)),
        ])
    }
}
