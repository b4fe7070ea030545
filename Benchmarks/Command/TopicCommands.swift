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

struct AllCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "all", abstract: "Everything that is to be reached.")

    @OptionGroup var options: MeasureOptions

    func run() throws { try options.run(BenchKit.Scene.Topic.allCases) }
}
