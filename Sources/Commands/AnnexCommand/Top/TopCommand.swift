import AnnexLinux
import AnnexPolicy
import ArgumentParser
import Glibc

/// `annex top`: shows the extensions that are running now.
struct TopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show your running extensions in a table that is updated; as root, those of all users.",
        discussion: """
            COLUMNS
              HOST             the process number of the host
              PID              the process number of the extension
              STATE            waiting (for a slot), launching, parked (launched ahead), idle, working (a request is \
            open), tidying (after its answer) or ending
              CPU%             processor time, in percent of one processor
              MEMORY           the resident memory
              MSG/S, BYTES/S   the traffic of the channel, in both directions
              ANSWER           the average time of an answer since the last update
              DENIED           how many denials the sandbox counted
              AGE              the time since the extension was requested

            A dash means that the value is unknown. The command asks neither extensions nor hosts. It reads numbers \
            that brokers publish in shared memory, and the kernel's figures for processes (Docs/Design/Daemon.md).

            EXAMPLES
              annex top                       a table that is updated every second; Ctrl-C ends it
              annex top --interval 5
              annex top --once                one table
              annex top --json | jq -c '.extensions[] | select(.memory > 5e7) | [.identifier, .memory]'

            EXIT STATUS
              0   shown; also if no extension runs
              64  the command line is not understood
            """)

    @Option(parsing: .unconditional, help: "Seconds between two updates.")
    var interval: Double = 1

    @Flag(help: "Print one table, measured over one interval, and end.")
    var once = false

    @Flag(help: "Print each update as one line with a JSON object, instead of a table.")
    var json = false

    func validate() throws {
        guard interval >= 0.05, interval <= 86_400 else {
            throw ValidationError("--interval must be from 0.05 to 86400 seconds")
        }
    }

    func run() throws {
        let isDrawn = !json && !once && isatty(STDOUT_FILENO) == 1
        var last = TopMoment.now()
        repeat {
            pause()
            let now = TopMoment.now()
            show(TopRow.rows(from: last, to: now), isDrawn: isDrawn)
            last = now
        } while !once
    }

    private func pause() {
        let deadline = MonotonicClock.deadline(after: .seconds(interval))
        while MonotonicClock.remaining(until: deadline) > 0 {
            // On some systems, `usleep` cannot sleep for a second or longer.
            usleep(UInt32(min(MonotonicClock.remaining(until: deadline) / 1000 + 1, 500_000)))
        }
    }

    private func show(_ rows: [TopRow], isDrawn: Bool) {
        if json {
            let moment: JSON = .object([
                .init("time", value: .text(WallClock.now().text)),
                .init("intervalSeconds", value: .numeral("\(interval)")),
                .init("extensions", value: .list(rows.map(\.json))),
            ])
            print(moment.line)
        } else {
            let size = TerminalSize(of: STDOUT_FILENO)
            let table = TopTable(style: .forStandardOutput(), width: max(80, size?.columns ?? 100))
            // There are two lines above the rows and one line below. The cursor stays in the last line.
            let most = isDrawn ? max(1, (size?.rows ?? 24) - 4) : .max
            let lines = table.lines(rows, most: most)
            // Drawing starts at the top. Each line is cleared to its end, and so are the lines that an older table left
            // below.
            if isDrawn { print("\u{1B}[H" + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J", terminator: "") }
            if !isDrawn { print(lines.joined(separator: "\n")) }
        }
        fflush(nil)
    }
}
