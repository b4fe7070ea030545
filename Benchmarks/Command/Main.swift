import ArgumentParser
import Glibc

@main
struct AnnexBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "annex-bench",
        abstract: "Measure how fast an extension in its sandbox is, beside C at its best and what others offer.",
        discussion: """
            Two real processes each, every payload written and verified on both sides. What is compared is measured in \
            turns, and placed alike.

            EXAMPLES
              annex bench latency                           round trips, with verdicts
              annex bench latency --only awake              one scene
              annex bench latency --all --out folder        sizes, silences and fixed rates too; histograms and pictures
              annex bench all --peers --json > result.json  for a program, and for the tables
              annex bench table result.json --markdown      the tables of the documentation

            EXIT STATUS
              0   everything that was asked for was measured and reached
              1   something was not reached, or could not be measured; which and why is printed
              64  the command line is not understood
            """,
        subcommands: [
            AllCommand.self, LatencyCommand.self, ThroughputCommand.self, LaunchCommand.self, ScaleCommand.self,
            TableCommand.self,
        ])

    /// Ends with the parser's message. The message repeats words of the command line, and a shell may have put the names
    /// of files there. So it is escaped, line by line.
    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            let code = exitCode(for: error)
            if code.isSuccess { exit(withError: error) }
            let lines = fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false)
            let bytes = Array(lines.map { $0.unicodeScalars.map(plain).joined() + "\n" }.joined().utf8)
            _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            Glibc.exit(code.rawValue)
        }
    }

    /// The character, or its number if it controls a terminal.
    private static func plain(_ scalar: Unicode.Scalar) -> String {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: scalar.escaped(asASCII: true)
        default: String(scalar)
        }
    }
}
