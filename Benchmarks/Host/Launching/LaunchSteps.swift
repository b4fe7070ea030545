import AnnexChannel
import AnnexHost
import CBenchDriver
import Glibc

/// Where the time goes from a request to its first answer: each step of the launch report, what the host does besides,
/// and the first call; beside idle extensions where the plan has some.
///
/// Told of the fifth of the launches in the middle, by their whole time, as their mean: so the steps add up, which
/// each step's own median does not where some launches are held up.
enum LaunchSteps {
    private static let launches = 105

    private typealias Step = (name: String, time: Duration)

    static func print(_ plan: Plan) throws {
        let launcher = try Launcher(plan, identifier: Contender.launch.identifier(plan.waiting))
        let idle = try launcher.launchIdle(plan.idle)
        defer { withExtendedLifetime(idle) {} }
        var all: [[Step]] = []
        for _ in 0..<launches {
            usleep(plan.gap)
            all.append(try measured(launcher))
        }
        let middle = middle(of: all)
        for step in middle.first ?? [] {
            let times = middle.joined().filter { $0.name == step.name }.map(\.time)
            let mean = times.reduce(.zero, +) / middle.count
            let nanoseconds = mean.components.seconds * 1_000_000_000 + mean.components.attoseconds / 1_000_000_000
            Swift.print("\(step.name)\t\(nanoseconds)")
        }
    }

    /// Those in the middle by their last step, which is the whole.
    private static func middle(of all: [[Step]]) -> ArraySlice<[Step]> {
        let sorted = all.sorted { ($0.last?.time ?? .zero) < ($1.last?.time ?? .zero) }
        return sorted[sorted.count * 2 / 5..<sorted.count * 3 / 5]
    }

    private static func measured(_ launcher: Launcher) throws -> [Step] {
        var request = [UInt8](repeating: 0, count: 64)
        bench_write(&request, request.count, 0, true)
        let clock = ContinuousClock()
        let asked = clock.now
        let session = try launcher.launch()
        let ready = clock.now
        _ = try session.channel.callAndWait(Request(method: Method.raw, payload: request))
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
