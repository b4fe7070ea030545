// A host that again and again launches an extension, sends a request and completes the session. It prints its own
// resources and those of the machine, before the launches and after them. Arguments: the app's bundle, the
// extension's identifier, the number of launches.
import AnnexEmbedded
import AnnexHost
import AnnexTestSupport
import Glibc

enum CountsItsLaunches {
    static func run() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let launches = Int(arguments[3]) else {
            print("usage: counts-its-launches APP IDENTIFIER LAUNCHES")
            exit(64)
        }

        let host = try AnnexHost.embedded(apps: [arguments[1]], patience: .patience)

        /// Makes one launch, one request and one end. Returns whether all of them succeeded.
        func launchOnce(_ number: Int) async throws -> Bool {
            let session = try await host.begin(arguments[2])
            let answer = try await session.request([ExtensionItem(contentText: "hello \(number)")])
            let end = await session.complete()
            if end.reason != .completed { print(end) }
            return answer.first?.contentText == "HELLO \(number)" && end.reason == .completed
        }

        // The first launches create all objects that are created once and then kept.
        let before = try await MachineCounts.warmed {
            for number in 0..<3 { _ = try await launchOnce(number) }
        }
        var answered = 0
        for number in 0..<launches where try await launchOnce(number) { answered += 1 }
        _ = await MachineCounts.settled(to: before)

        /// The number of descriptors that an idle extension costs this process, and how often all idle extensions wake its loop
        /// within two seconds. The second number is nil if the machine gives no control group, because memory must then be
        /// watched.
        func costsOfIdle(_ count: Int) async throws -> (descriptors: Int, wakeUps: Int?) {
            let before = await MachineCounts.steady().descriptors
            var sessions: [ExtensionSession] = []
            for _ in 0..<count { sessions.append(try await host.begin(arguments[2])) }
            defer { sessions = [] }
            // The extensions are idle after some work. No resource of that work may be left.
            for session in sessions { _ = try await session.request([ExtensionItem(contentText: "x")]) }
            let each = Double(await MachineCounts.steady().descriptors - before) / Double(count)
            var wakeUps = Int.max
            // Work that was still in progress ends in one of the first windows.
            for _ in 0..<10 where wakeUps > 0 {
                let slept = sleepsOfLoop()
                try await Task.sleep(for: .seconds(2))
                wakeUps = min(wakeUps, sleepsOfLoop() - slept)
            }
            let isWatched = sessions.contains { $0.launchReport.memory == .watched }
            for session in sessions { _ = await session.cancel() }
            return (Int(each.rounded(.up)), isWatched ? nil : wakeUps)
        }

        let (each, wakeUps) = try await costsOfIdle(8)
        let after = await MachineCounts.settled(to: before)
        print("answered \(answered)")
        print("descriptors for each idle extension \(each)")
        print("wake-ups while idle \(wakeUps.map(String.init) ?? "not counted: memory is watched")")
        print("more than before: \(after.isMore(than: before))")
        print(before)
        print(after)
    }

    /// The number of times that the event loop's thread has gone to sleep so far.
    private static func sleepsOfLoop() -> Int {
        for thread in ProcText.names(in: "/proc/self/task") {
            guard ProcText.lines(of: "/proc/self/task/\(thread)/comm").first == "annex-events" else { continue }
            let line = ProcText.lines(of: "/proc/self/task/\(thread)/status").first { $0.hasPrefix("voluntary_ctxt") }
            return line.flatMap { Int($0.split(separator: "\t").last ?? "") } ?? -1
        }
        return -1
    }
}
