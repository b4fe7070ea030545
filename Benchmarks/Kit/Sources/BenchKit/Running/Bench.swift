internal import Foundation

/// Measures scenes and judges them.
public struct Bench {
    public var scenes: [Scene]
    public var runs = 5
    public var slices = 5
    /// The time of each slice, if it differs from the scene's own time.
    public var milliseconds: Int?
    /// The most bytes of a file whose contents are read.
    public var mostFileBytes = Int.max
    /// The folder for pictures and raw histograms; nil if they are not wanted.
    public var folder: String?
    public var isJudging = true
    /// Whether the cost of idle extensions is counted too.
    public var countsIdle = false
    /// If a hypervisor takes processors away in a turn, the turn is repeated after a rest. This is the limit for the
    /// additional seconds of all turns together.
    public var patience = 0.0
    private let programs: Programs
    private let progress: Progress

    public init(scenes: [Scene], programs: Programs = .besideThis, progress: Progress = Progress()) {
        self.scenes = scenes
        self.programs = programs
        self.progress = progress
    }

    public func run() throws -> Report {
        let date = Date.now.formatted(.iso8601.year().month().day())
        var patience = Patience(seconds: patience)
        let results = scenes.map { scene in
            SceneRun(
                scene: scene, programs: programs, runs: runs, slices: slices, milliseconds: milliseconds,
                file: scene.setting.file.map { ScratchFile(bytes: min($0, mostFileBytes)) }, progress: progress
            ).measure(&patience)
        }
        if countsIdle { progress.show("a thousand idle extensions") }
        let costs = countsIdle ? try IdleCost.measured(by: programs) : nil
        progress.end()
        if let folder { try Keepsakes(folder: folder).write(results) }
        let byID = Dictionary(uniqueKeysWithValues: results.map { ($0.scene.id, $0) })
        return Report(
            date: date, machine: .this(), runs: runs, slices: slices, scenes: results.map { SceneReport($0) },
            verdicts: Catalogue.requirements.filter { isJudging && byID[$0.scene] != nil }.map {
                Verdict($0, result: byID[$0.scene], runs: runs, slices: slices)
            }, costs: costs)
    }
}
