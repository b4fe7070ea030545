import ArgumentParser
import BenchKit

struct LatencyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "latency", abstract: "Round trips: awake, asleep, on one core and on two.")

    @OptionGroup var options: MeasureOptions

    func run() throws { try options.run([.latency]) }
}

struct ThroughputCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "throughput", abstract: "Messages a second one way, and bulk.")

    @OptionGroup var options: MeasureOptions

    func run() throws { try options.run([.throughput]) }
}

struct ScaleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scale",
        abstract:
            "A round trip beside 1,000 idle extensions, what these cost, and how long a decision about 1,000 offers takes."
    )

    @OptionGroup var options: MeasureOptions

    func run() throws { try options.run([.scale]) }
}

struct LaunchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "launch",
        abstract: "From the request to the first answer, beside bubblewrap; and where the time goes.")

    @OptionGroup var options: MeasureOptions

    func run() throws {
        defer { if !options.json { printSteps() } }
        try options.run([.launch], everything: true)
    }

    private func printSteps() {
        do {
            let steps = try LaunchStep.measured()
            let title = "\nEach step, mean of the launches in the middle\n"
            print(title + TextReport(isColoured: Terminal.isColoured).text(steps))
        } catch {
            Terminal.complain("the steps were not measured: \(error)")
        }
    }
}

struct AllCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "all", abstract: "Everything that is to be reached; beside what others offer with --peers.")

    @OptionGroup var options: MeasureOptions

    func run() throws { try options.run([.latency, .throughput, .launch, .scale]) }
}
