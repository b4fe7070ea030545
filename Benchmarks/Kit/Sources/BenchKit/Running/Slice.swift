internal import Foundation
internal import Histogram

/// One measurement of one contestant.
struct Slice {
    let contestant: Contestant
    let scene: Scene
    let milliseconds: Int?
    /// The file whose contents are read, if the scene's setting has one. The contender makes it.
    let file: ScratchFile?

    func run(_ programs: Programs) throws -> Outcome {
        guard let path = programs.path(of: contestant) else { throw RunFailure("is not built") }
        let folder = FileManager.default.temporaryDirectory.appending(path: "annex-bench-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let samples = folder.appending(path: "samples").path
        let setting = contestant.setting(in: scene).with { if let milliseconds { $0.milliseconds = milliseconds } }
        let words =
            [contestant.contender] + setting.words + [
                "samples=\(samples)", "most=\(Self.mostSamples)", "extra=\(contestant.idle)",
            ] + (file?.words ?? [])
        let printed = try ContenderProcess(path: path, words: words, folder: folder).run()
        let summary = try JSONDecoder().decode(Outcome.Summary.self, from: printed)
        guard summary.wrong == 0 else { throw RunFailure("\(summary.wrong) messages were not what was sent") }
        let (batched, single) = try SampleFile.read(samples)
        guard (batched ?? single)?.totalCount ?? 0 > 0 else { throw RunFailure("no sample was taken") }
        return Outcome(summary: summary, batched: batched, single: single)
    }

    private static let mostSamples = 2_000_000
}
