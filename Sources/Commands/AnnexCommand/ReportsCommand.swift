import AnnexBroker
import AnnexHost
import AnnexLinux
import AnnexPolicy
import ArgumentParser
import Glibc

/// `annex reports`: shows how extensions ended.
struct ReportsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reports",
        abstract: "Show how extensions ended: one report per end, the newest first.",
        discussion: """
            A host keeps a report on each end of an extension: the newest 500 reports, and at most 100 of one extension. \
            The reports are in ~/.local/state/annex/reports (for root, in /var/lib/annex/reports), or in the folder that \
            ANNEX_REPORTS names. Docs/Reference/Reports.md describes their contents.

            EXAMPLES
              annex reports                                 the time, the extension and the reason of each end
              annex reports com.example.pictures.editor     its latest end in full, the earlier ones in short
              annex reports --most 5                        the latest five
              annex reports --failures                      only ends in which something went wrong
              annex reports --json | jq '.reports[] | select(.reason == "crashed") | .lastOutput'
              annex reports --folder /srv/photos/state/annex/reports

            EXIT STATUS
              0   shown; also if there is no report yet
              1   some files in the folder are not reports; they are named on standard error, the others are shown
              64  the command line is not understood
              66  the folder cannot be read
            """)

    @Argument(help: "Show only the reports of this extension, by its bundle identifier.")
    var identifier: String?

    @Option(help: "The folder to read. Default: the user's own.", completion: .directory)
    var folder: String?

    @Option(parsing: .unconditional, help: "Show at most this many reports, the newest.")
    var most: Int?

    @Flag(help: "Show only ends in which something went wrong.")
    var failures = false

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func validate() throws {
        if let most, most < 1 { throw ValidationError("--most must be at least 1") }
    }

    func run() throws {
        let (place, found) = try read()
        for flaw in found.flaws.prefix(Self.mostFlaws) {
            StandardError.print("annex: skipped \(Escaped(flaw.file)): \(PlainText.shown(flaw.why))")
        }
        let more = found.flaws.count - Self.mostFlaws
        if more > 0 { StandardError.print("annex: skipped \(more) more files") }
        if json {
            let reports = JSON.list(found.reports.map(\.json))
            print(JSON.object([.init("folder", value: .text(place)), .init("reports", value: reports)]).written)
        } else {
            let text = ReportsText(style: .forStandardOutput())
            if found.reports.isEmpty {
                text.showNone(of: identifier, onlyFailures: failures, in: place)
            } else {
                text.show(found.reports, isOfOne: identifier != nil)
            }
        }
        if !found.flaws.isEmpty { throw ExitCode(1) }
    }

    private static let mostFlaws = 20

    private func read() throws -> (String, (reports: [StoredReport], flaws: [StoredReport.Flaw])) {
        do throws(SystemError) {
            var place = folder
            if place == nil { place = try ReportLocation.standard.path() }
            guard let place else { return ("", ([], [])) }
            do throws(SystemError) {
                let found = try StoredReport.all(
                    in: place, of: identifier, atMost: most ?? .max
                ) { !failures || $0.isFailure }
                return (place, found)
            } catch {
                // The folder does not exist until the first report is kept.
                guard folder == nil, error.errno == ENOENT else { throw error }
                return (place, ([], []))
            }
        } catch {
            StandardError.print("annex: \(error)")
            throw ExitCode(66)
        }
    }
}
