// A host under load for a given time, with many sessions at once, requests, and ends of all kinds. It prints the memory
// that the host and its warden use during this time, and whether the memory stays constant. The arguments are the
// bundle of Shout.app with works-on in it, the bundle of Pictures.app, the number of seconds, and a seed.
import AnnexLaunch
import AnnexLinux
import AnnexTestSupport
import Foundation

enum BearsLoad {
    static func run() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let seconds = Int(arguments[3]), let seed = UInt64(arguments[4]) else {
            print("usage: bears-load SHOUT PICTURES SECONDS SEED")
            exit(64)
        }

        Heap.bound()
        let folder = try TemporaryFolder()
        let load = try Load([arguments[1], arguments[2]], reports: folder.url.path + "/reports")
        let started = ContinuousClock.now
        let end = started + .seconds(seconds)
        /// The time between two samples. It is long enough for many lives.
        let interval = Duration.seconds(min(10, max(1, seconds / 10)))

        let census = ThreadCensus()
        // The extensions of these apps write to no directory, so a watch is set up for none of them.
        let directory = DiskWatch(
            of: try Descriptor.directory(folder.url.path), at: folder.url.path, in: { [] }, size: 1 << 30,
            inodes: 10_000
        ) { say("unexpected: \($0)") }
        let watch = Watch(directory, orOn: try EventLoop.shared())
        defer { withExtendedLifetime(watch) {} }
        let lanes = (0..<8).map { lane in
            Task { () -> String? in
                var random = SeededRandom(seed: seed &+ UInt64(lane))
                while ContinuousClock.now < end {
                    if let wrong = await load.live(Part.drawn(using: &random)) { return wrong }
                }
                return nil
            }
        }

        var course = MemoryCourse()
        while true {
            try await Task.sleep(for: interval)
            // When the last lanes stop, they release memory. This is not part of the load.
            guard ContinuousClock.now < end else { break }
            let elapsed = (ContinuousClock.now - started).components.seconds
            say(course.sample(at: Double(elapsed)) + ", \(load.count) lives")
        }
        var wrongs: [String] = []
        for lane in lanes { if let wrong = await lane.value { wrongs.append(wrong) } }
        for wrong in wrongs { say("unexpected, seed \(seed): \(wrong)") }
        say("threads: \(census.finish())")
        for (what, count) in load.ends { say("\(count) × \(what)") }
        say(course.verdict)
    }
}
