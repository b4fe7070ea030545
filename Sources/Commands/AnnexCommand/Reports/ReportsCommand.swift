import AnnexBroker
import AnnexHost
import AnnexLinux
import AnnexPolicy
import ArgumentParser
import Glibc

/// `annex reports`: how extensions ended.
struct ReportsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reports",
        abstract: "Show how extensions ended: one report per end, the newest first.",
        discussion: """
            A host keeps a report on each end of an extension, the newest 500 of them, 100 of one extension at most, in \
            ~/.local/state/annex/reports (root: /var/lib/annex/reports); ANNEX_REPORTS names another folder. \
            What each report says is in Docs/Reference/Reports.md.

            EXAMPLES
              annex reports                                 when, which extension, why
              annex reports com.example.pictures.editor     its last end in full, then the others in short
              annex reports --most 5                        the last five
              annex reports --failures                      without ends that somebody wished for
              annex reports --json | jq '.reports[] | select(.reason == "crashed") | .lastOutput'
              annex reports --folder /srv/photos/state/annex/reports

            EXIT STATUS
              0   shown; also where there is no report yet
              1   some files in the folder are no reports; they are named on standard error, the others are shown
              64  the command line is not understood
              66  the folder cannot be read
            """)

    @Argument(help: "Only this extension's, by its bundle identifier.")
    var identifier: String?

    @Option(help: "The folder to read; the user's own otherwise.", completion: .directory)
    var folder: String?

    @Option(help: "At most so many, the newest.")
    var most: UInt16?

    @Flag(help: "Only ends in which something went wrong.")
    var failures = false

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func run() throws {
        let (place, found) = try read()
        for flaw in found.flaws.prefix(Self.mostFlaws) {
            StandardError.print("annex: passed over \(Escaped(flaw.file)): \(PlainText.shown(flaw.why))")
        }
        let more = found.flaws.count - Self.mostFlaws
        if more > 0 { StandardError.print("annex: passed over \(more) more") }
        if json {
            let reports = JSON.list(found.reports.map(\.json))
            print(JSON.object([.init("folder", .text(place)), .init("reports", reports)]).written)
        } else {
            ReportsText(style: .forStandardOutput()).show(found.reports, isOfOne: identifier != nil, in: place)
        }
        if !found.flaws.isEmpty { throw ExitCode(1) }
    }

    private static let mostFlaws = 20

    private func read() throws -> (String, (reports: [StoredReport], flaws: [StoredReport.Flaw])) {
        do throws(SystemError) {
            var place = folder
            if place == nil { place = try ReportPlace.standard.path() }
            guard let place else { return ("", ([], [])) }
            do throws(SystemError) {
                let found = try StoredReport.all(
                    in: place, of: identifier, atMost: most.map(Int.init) ?? .max
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
