internal import Foundation
internal import Histogram

/// The files that a run writes in addition to its figures: every distribution in the format of the usual tools, and a
/// picture of each scene.
struct Keepsakes {
    let folder: String

    func write(_ results: [SceneResult]) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for result in results { try write(result) }
    }

    private func write(_ result: SceneResult) throws {
        for contestant in result.scene.contestants {
            guard let tally = result.tallies[contestant.name] else { continue }
            let name = "\(result.scene.id)-\(contestant.name.replacing(", ", with: "-"))"
            try write(tally.batched, named: "\(name)-batched")
            try write(tally.single, named: name)
        }
        let picture = DistributionPicture(result)
        if let text = picture.text {
            try text.write(toFile: "\(folder)/\(result.scene.id).svg", atomically: true, encoding: .utf8)
        }
    }

    /// Writes the values in microseconds.
    private func write(_ histogram: Histogram<UInt64>?, named name: String) throws {
        guard let histogram else { return }
        var text = ""
        histogram.outputPercentileDistribution(to: &text, outputValueUnitScalingRatio: 1e6)
        try text.write(toFile: "\(folder)/\(name).hgrm", atomically: true, encoding: .utf8)
    }
}
