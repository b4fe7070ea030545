import ArgumentParser
import Glibc

/// Executes `annex-bench`, a separate program, so that a build of Annex needs none of the benchmarks' dependencies.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure how fast an extension in its sandbox is, beside C at its best and what others offer.",
        discussion: """
            Runs `annex-bench`, which `make bench` builds; `annex bench --help` is then its own.

            EXAMPLES
              annex bench latency                          round trips, with verdicts
              annex bench throughput --json                messages a second one way, and bulk
              annex bench table result.json --markdown     the table of a result

            EXIT STATUS
              0   everything that was asked for was measured and reached
              1   something was not reached, or could not be measured
              64  the command line is not understood
              69  `annex-bench` is not built
            """)

    @Argument(parsing: .captureForPassthrough, help: "latency, throughput, launch, scale or table, and its options.")
    var arguments: [String] = []

    func run() throws {
        guard let program = Self.places.first(where: { access($0, X_OK) == 0 }) else {
            StandardError.print(
                """
                annex: annex-bench is not built: run `make bench` in Annex's sources, or put it beside this program
                looked for: \(Self.places.joined(separator: ", "))
                """)
            throw ExitCode(69)
        }
        let words = [program] + arguments
        let pointers = words.map { strdup($0) }
        execv(program, pointers + [nil])
        StandardError.print("annex: \(program): \(String(cString: strerror(errno)))")
        throw ExitCode(69)
    }

    /// The places where `annex-bench` may lie. One is beside this program. The other is where `make bench` builds it,
    /// if this program lies in its own build folder, `.build/TRIPLE/CONFIGURATION`.
    private static var places: [String] {
        let folder = ExampleApp.folderOfThisProgram
        let parts = folder.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 3, parts.dropLast(2).last == ".build" else { return ["\(folder)/annex-bench"] }
        let sources = parts.dropLast(3).joined(separator: "/")
        return ["\(folder)/annex-bench", "\(sources)/Benchmarks/.build/release/annex-bench"]
    }
}
