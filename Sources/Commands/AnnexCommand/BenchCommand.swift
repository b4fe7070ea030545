import ArgumentParser
import Glibc

/// Executes `annex-bench`. It is a separate program, so that a build of Annex does not need the dependencies of the
/// benchmarks.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure the speed of sandboxed extensions, and compare it with optimised C and other systems.",
        discussion: """
            The command runs `annex-bench`, which `make bench` builds, and passes all arguments on. If `annex-bench` is \
            built, `annex bench --help` prints the help of that program.

            EXAMPLES
              annex bench latency                          round trips, with a verdict on each target
              annex bench throughput --json                messages per second in one direction, and bulk data
              annex bench table result.json --markdown     the table of an earlier result

            EXIT STATUS
              0   every requested measurement was made and reached its target
              1   a target was not reached, or could not be measured
              64  the command line is not understood
              69  `annex-bench` is not built
            """)

    @Argument(
        parsing: .captureForPassthrough, help: "latency, throughput, launch, scale or table, followed by its options.")
    var arguments: [String] = []

    func run() throws {
        guard let program = Self.places.first(where: { access($0, X_OK) == 0 }) else {
            StandardError.print(
                """
                annex: annex-bench is not built: run `make bench` in Annex's sources, or put it beside this program
                searched: \(Self.places.joined(separator: ", "))
                """)
            throw ExitCode(69)
        }
        let words = [program] + arguments
        let pointers = words.map { strdup($0) }
        execv(program, pointers + [nil])
        StandardError.print("annex: \(program): \(String(cString: strerror(errno)))")
        throw ExitCode(69)
    }

    /// The places where `annex-bench` may be. The first place is beside this program. The second place is where `make
    /// bench` builds `annex-bench`. The second place is known only if this program lies in its build folder,
    /// `.build/TRIPLE/CONFIGURATION`.
    private static var places: [String] {
        let folder = ExampleApp.folderOfThisProgram
        let parts = folder.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 3, parts.dropLast(2).last == ".build" else { return ["\(folder)/annex-bench"] }
        let sources = parts.dropLast(3).joined(separator: "/")
        return ["\(folder)/annex-bench", "\(sources)/Benchmarks/.build/release/annex-bench"]
    }
}
