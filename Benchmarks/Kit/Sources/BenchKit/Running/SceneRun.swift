/// One scene, measured in so many runs of so many slices: in each slice every contestant once, one after the other, so
/// that all of them meet the same machine.
struct SceneRun {
    let scene: Scene
    let programs: Programs
    let runs: Int
    let slices: Int
    let milliseconds: Int?
    let progress: Progress

    func measure() -> SceneResult {
        var result = SceneResult(scene)
        let contestants = scene.contestants.filter { contestant in
            guard !programs.has(contestant) else { return true }
            result.skipped[contestant.name] = remedy(contestant)
            return false
        }
        let before = Steal.now()
        for run in 0..<runs { measure(run, contestants, &result) }
        if let before, let after = Steal.now() { result.stealPercent = after.percent(since: before) }
        return result
    }

    private func measure(_ run: Int, _ contestants: [Contestant], _ result: inout SceneResult) {
        let slices = min(slices, scene.mostSlices)
        for slice in 0..<slices {
            for contestant in contestants where result.failures[contestant.name] == nil {
                progress.show(
                    "\(scene.id): run \(run + 1) of \(runs), slice \(slice + 1) of \(slices): \(contestant.name)")
                do {
                    let outcome = try Slice(contestant: contestant, scene: scene, milliseconds: milliseconds)
                        .run(programs)
                    result.add(outcome, of: contestant.name, run: run, slice: slice)
                } catch {
                    result.failures[contestant.name] = "\(error)"
                    progress.note("\(scene.id): \(contestant.name): \(error)")
                }
            }
        }
    }

    private func remedy(_ contestant: Contestant) -> String {
        if let tool = contestant.tool, programs.path(of: contestant) != nil { return "apt-get install \(tool.package)" }
        guard contestant.kind == .peer else { return "make bench builds it" }
        return Catalogue.peers.first { $0.name == contestant.contender }?.remedy ?? "make bench-peers builds it"
    }
}
