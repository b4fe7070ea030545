import AnnexChannel
import AnnexHost
import CBenchDriver
import Glibc

/// The steps from a request to its first answer: each step of the launch report, the host's own work, and the first
/// call. If the plan has idle extensions, they run during the measurement.
///
/// The launches are ordered by their whole time. The figures are means over the middle fifth of the launches, so the
/// steps add up to the total. If some launches are delayed, the medians of the single steps would not add up.
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

    /// The launches in the middle, ordered by their last step, which is the whole time.
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
