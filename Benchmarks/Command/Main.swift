import ArgumentParser

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
}
