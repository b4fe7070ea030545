import ArgumentParser
import BenchKit

internal
    /// The options of every command that measures.
    struct MeasureOptions: ParsableArguments
{
    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    @Flag(help: "Measure what no requirement looks at, too: sizes, silences, fixed rates, unpinned.")
    var all = false

    @Flag(help: "Measure what others offer, too; make bench-peers builds them.")
    var peers = false

    @Flag(help: "Only see that everything runs and verifies: short, and nothing is judged.")
    var smoke = false

    @Option(help: "Only these scenes, by name.", transform: { $0.split(separator: ",").map(String.init) })
    var only: [String] = []

    @Option(help: "How often everything is measured; verdicts are medians.")
    var runs = 5

    @Option(help: "Turns within a run.")
    var slices = 5

    @Option(help: "Milliseconds of each turn, where not the scene's own.")
    var milliseconds: Int?

    @Option(
        help: ArgumentHelp(
            "Where others get more than 2 % of the processors, rest and measure again, for so long in all.",
            valueName: "seconds"))
    var patience = 0.0

    @Option(help: "A folder for raw histograms (.hgrm) and pictures (.svg).")
    var out: String?

    func validate() throws {
        guard patience >= 0 else { throw ValidationError("patience is a number of seconds") }
        guard runs > 0, slices > 0 else { throw ValidationError("at least one run of one slice") }
        let known = Set(Catalogue.scenes.map(\.id))
        if let unknown = only.first(where: { !known.contains($0) }) {
            throw ValidationError("no such scene: \(unknown); there are: \(known.sorted().joined(separator: ", "))")
        }
    }

    func run(_ topics: [BenchKit.Scene.Topic], everything: Bool = false) throws {
        let scenes = Catalogue.scenes.filter { scene in
            let isAskedFor = topics.contains(scene.topic) || (peers && scene.topic == .peers)
            return only.isEmpty ? isAskedFor && (all || everything || scene.isJudged) : only.contains(scene.id)
        }
        var bench = Bench(scenes: scenes)
        bench.runs = smoke ? 1 : runs
        bench.slices = smoke ? 1 : slices
        bench.milliseconds = smoke ? 20 : milliseconds
        if smoke { bench.mostFileBytes = 16 << 20 }
        bench.folder = out
        bench.patience = patience
        bench.isJudging = !smoke
        bench.countsIdle = !smoke && only.isEmpty && topics.contains(.scale)
        let report = try bench.run()
        if json {
            print(String(decoding: try report.encoded(), as: UTF8.self))
        } else {
            print(TextReport(isColoured: Terminal.isColoured).text(report))
        }
        if !report.isReached { throw ExitCode(1) }
    }
}
