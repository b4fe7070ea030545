import AnnexHost
import Glibc

/// Where a launch's time goes: the median of each step of the launch report.
enum LaunchSteps {
    private static let launches = 101

    static func print(_ plan: Plan) throws {
        let launcher = try Launcher(plan, Contender.launch.identifier(plan.waiting))
        var names: [String] = []
        var times: [String: [Duration]] = [:]
        for _ in 0..<launches {
            usleep(plan.gap)
            let session = try launcher.launch()
            for step in session.launchReport.steps {
                if times[step.name] == nil { names.append(step.name) }
                times[step.name, default: []].append(step.duration)
            }
            _ = session.completeAndWait()
        }
        for name in names {
            let sorted = (times[name] ?? []).sorted()
            let median = sorted[sorted.count / 2]
            let nanoseconds = median.components.seconds * 1_000_000_000 + median.components.attoseconds / 1_000_000_000
            Swift.print("\(name)\t\(nanoseconds)")
        }
    }
}
