internal import Foundation

/// One measurement of every contestant of a scene, one after the other.
struct Turn {
    private(set) var outcomes: [String: Outcome] = [:]
    private(set) var failures: [String: String] = [:]
    /// The processor time during the turn.
    private let ticks: (from: Steal, to: Steal)?
    let seconds: Double

    init(
        _ contestants: [Contestant], of scene: Scene, programs: Programs, milliseconds: Int?,
        file: ScratchFile?, showing: (String) -> Void
    ) {
        let begun = Date.now
        let before = Steal.now()
        for contestant in contestants {
            showing(contestant.name)
            do {
                let slice = Slice(contestant: contestant, scene: scene, milliseconds: milliseconds, file: file)
                outcomes[contestant.name] = try slice.run(programs)
            } catch {
                failures[contestant.name] = "\(error)"
            }
        }
        seconds = Date.now.timeIntervalSince(begun)
        if let before, let after = Steal.now() { ticks = (before, after) } else { ticks = nil }
    }

    var stealPercent: Double { ticks.map { $0.to.percent(since: $0.from) } ?? 0 }
    /// All processor time, and the part of it that other machines got, in ticks.
    var time: (total: UInt64, stolen: UInt64) { ticks.map { $0.to.time(since: $0.from) } ?? (0, 0) }
}
