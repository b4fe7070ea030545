/// One scene, measured in several runs of several slices. In each slice, the contestants are measured once each, one
/// after the other. So all of them are measured under the same conditions.
struct SceneRun {
    let scene: Scene
    let programs: Programs
    let runs: Int
    let slices: Int
    let milliseconds: Int?
    let file: ScratchFile?
    let progress: Progress

    /// - Parameter patience: the time that is left for repeating turns that other machines disturbed.
    func measure(_ patience: inout Patience) -> SceneResult {
        var result = SceneResult(scene)
        let contestants = scene.contestants.filter { contestant in
            guard !programs.has(contestant) else { return true }
            result.skipped[contestant.name] = remedy(contestant)
            return false
        }
        let slices = min(slices, scene.mostSlices)
        for run in 0..<runs {
            for slice in 0..<slices {
                let place = "\(scene.id): run \(run + 1) of \(runs), slice \(slice + 1) of \(slices)"
                // If a contestant failed once, it is not measured again.
                let sound = contestants.filter { result.failures[$0.name] == nil }
                let turn = undisturbed(sound, place: place, patience: &patience)
                for (name, failure) in turn.failures { progress.note("\(scene.id): \(name): \(failure)") }
                result.add(turn, run: run, slice: slice)
            }
        }
        return result
    }

    /// A turn without disturbance. If the patience is spent first, this is the last turn.
    private func undisturbed(_ contestants: [Contestant], place: String, patience: inout Patience) -> Turn {
        while true {
            let turn = Turn(contestants, of: scene, programs: programs, milliseconds: milliseconds, file: file) {
                progress.show("\(place): \($0)")
            }
            if turn.stealPercent <= Patience.mostStolen { return turn }
            patience.spend(turn.seconds)
            progress.show("\(place): others take \(Int(turn.stealPercent)) % of the processors: resting")
            guard patience.rest() else { return turn }
        }
    }

    private func remedy(_ contestant: Contestant) -> String {
        if let tool = contestant.tool, programs.path(of: contestant) != nil { return "apt-get install \(tool.package)" }
        guard contestant.kind == .peer else { return "make bench builds it" }
        return Catalogue.peers.first { $0.name == contestant.contender }?.remedy ?? "make bench-peers builds it"
    }
}
