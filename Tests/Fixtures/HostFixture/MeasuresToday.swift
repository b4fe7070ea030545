// Measures a Today view of many widgets. `make bench-today` runs this program.
//
//     measures-today FOLDER SECONDS APP…     FOLDER is empty. The view is idle for SECONDS. Each APP has one widget.
import AnnexEmbedded
import AnnexHost
import AnnexLinux
import AnnexModel
import AnnexToday
import Glibc

enum MeasuresToday {
    static func run() async throws {
        let words = CommandLine.arguments
        let (folder, idle, apps) = (words[1], Int(words[2]) ?? 0, Array(words.dropFirst(3)))
        let host = try AnnexHost.embedded(
            apps: apps, reports: .nowhere, privateDirectories: .folder(folder + "/private"))
        for one in try host.installedAndWait() { try host.setEnabledAndWait(true, for: one.id) }
        let widgets = try host.installedAndWait().map(\.id)
        let ends = Task { [ends = host.ends] in
            var peaks: [UInt64] = []
            for await end in ends { if let peak = end.termination.usage.peakMemory { peaks.append(peak) } }
            return peaks
        }

        /// The time until the cards are shown, and the time until all of them are up to date.
        func show(_ wanted: Set<String>) async throws -> (painted: Duration, fresh: Duration) {
            let view = TodayView(of: host, keepingIn: try TodayFolder(folder + "/today")) { wanted.contains($0.id) }
            let clock = ContinuousClock()
            let start = clock.now
            try await view.show(on: TodaySurface(width: 320, expandedHeight: 400))
            let shown = await view.cards.filter { $0.state.view != nil }
            let painted = start.duration(to: clock.now)
            guard shown.isEmpty || shown.count == wanted.count else {
                fatalError("only \(shown.count) cards have a view")
            }
            await settle(view)
            let fresh = start.duration(to: clock.now)
            guard await view.cards.allSatisfy({ $0.freshness == .fresh }) else { fatalError("a widget has failed") }
            await view.close(within: .seconds(10))
            return (shown.isEmpty ? .zero : painted, fresh)
        }

        // The first round creates the snapshots.
        _ = try await show(Set(widgets))
        var alone = Duration.zero
        for widget in widgets {
            var times: [Duration] = []
            for _ in 0..<5 { times.append(try await show([widget]).fresh) }
            alone = max(alone, median(times))
        }
        var (painted, fresh): ([Duration], [Duration]) = ([], [])
        for _ in 0..<15 {
            let round = try await show(Set(widgets))
            painted.append(round.painted)
            fresh.append(round.fresh)
        }
        let ratio = Int(median(fresh) / alone * 100)
        row("widgets", is: "\(widgets.count)")
        row("the slowest widget alone, fresh after", is: milliseconds(alone))
        row(
            "all painted from snapshots after",
            is: "\(milliseconds(median(painted))), at most \(milliseconds(painted.max() ?? .zero))")
        row("all fresh after", is: "\(milliseconds(median(fresh))), \(ratio / 100).\(ratio % 100 / 10) times as long")

        let view = TodayView(of: host, keepingIn: try TodayFolder(folder + "/today"))
        try await view.show(on: TodaySurface(width: 320, expandedHeight: 400))
        await settle(view)
        try await Task.sleep(for: .seconds(2))
        let before = wakeUps()
        try await Task.sleep(for: .seconds(idle))
        row("wake-ups of host and broker in \(idle) s", is: "\(wakeUps() - before)")
        await view.close(within: .seconds(10))
        ends.cancel()
        let peaks = await ends.value
        row("largest memory of a widget", is: "\((peaks.max() ?? 0) / 1024) KiB, of \(peaks.count) launches")
    }

    private static func settle(_ view: TodayView) async {
        var changes = view.changes.makeAsyncIterator()
        while await view.isUpdating, await changes.next() != nil {}
    }

    private static func median(_ values: [Duration]) -> Duration { values.sorted()[values.count / 2] }
    private static func milliseconds(_ duration: Duration) -> String {
        let tenths = Int(duration / .microseconds(100))
        return "\(tenths / 10).\(tenths % 10) ms"
    }

    private static func row(_ title: String, is value: String) {
        print(title + String(repeating: " ", count: max(1, 48 - title.count)) + value)
    }

    /// How often the threads of this process have gone to sleep. Each sleep ended with a wake-up.
    private static func wakeUps() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_nvcsw
    }
}
