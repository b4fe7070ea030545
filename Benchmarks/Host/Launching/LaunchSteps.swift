import AnnexChannel
import AnnexHost
import CBenchDriver
import Glibc

/// Where the time goes from a request to its first answer: the median of each step of the launch report, of what the
/// host does besides, and of the first call; beside idle extensions where the plan has some.
enum LaunchSteps {
    private static let launches = 101

    static func print(_ plan: Plan) throws {
        let launcher = try Launcher(plan, Contender.launch.identifier(plan.waiting))
        let idle = try launcher.launchIdle(plan.idle)
        defer { withExtendedLifetime(idle) {} }
        var names: [String] = []
        var times: [String: [Duration]] = [:]
        for _ in 0..<launches {
            usleep(plan.gap)
            for (name, time) in try measured(launcher) {
                if times[name] == nil { names.append(name) }
                times[name, default: []].append(time)
            }
        }
        for name in names {
            let sorted = (times[name] ?? []).sorted()
            let median = sorted[sorted.count / 2]
            let nanoseconds = median.components.seconds * 1_000_000_000 + median.components.attoseconds / 1_000_000_000
            Swift.print("\(name)\t\(nanoseconds)")
        }
    }

    private static func measured(_ launcher: Launcher) throws -> [(name: String, time: Duration)] {
        var request = [UInt8](repeating: 0, count: 64)
        bench_write(&request, request.count, 0, true)
        let clock = ContinuousClock()
        let asked = clock.now
        let session = try launcher.launch()
        let ready = clock.now
        _ = try session.channel.call(Request(method: Method.raw, payload: request))
        let answered = clock.now
        let steps = session.launchReport.steps.map { (name: $0.name, time: $0.duration) }
        _ = session.completeAndWait()
        let told = steps.reduce(.zero) { $0 + $1.time }
        return steps + [
            ("channel made, host awake", ready - asked - told), ("first call", answered - ready),
            ("total", answered - asked),
        ]
    }
}
