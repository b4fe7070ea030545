import AnnexHost
import CBenchDriver
import Glibc

/// The cost of a thousand idle extensions.
enum IdleCosts {
    private static let count = 1000
    private static let seconds: UInt32 = 10

    static func print(_ plan: Plan) throws {
        let launcher = try Launcher(plan, identifier: Contender.raw.identifier(plan.waiting))
        // The first launch makes objects that all extensions share. They are not counted.
        _ = try launcher.launch().completeAndWait()
        guard let warden = ProcessFacts.warden() else { throw Failure.noWarden }
        let before = ProcessFacts.this.ownMemory + warden.memory
        let idle = try launcher.launchIdle(count)
        sleep(2)
        let after = ProcessFacts.this.ownMemory + warden.memory
        let extensions = warden.children
        guard extensions.count == count else { throw Failure.missing(extensions.count) }
        let memory = extensions.reduce(0) { $0 + $1.memory }
        Swift.print("idle-memory\t\(Double(memory) / Double(count))")
        Swift.print("broker-memory\t\(Double(after - before) / Double(count))")
        Swift.print("idle-wake-ups\t\(wakeUps([warden] + extensions))")
        withExtendedLifetime(idle) {}
    }

    /// Counts all threads except this one, which only waits and counts.
    private static func wakeUps(_ others: [ProcessFacts]) -> Int {
        let count = { others.reduce(ProcessFacts.this.switches(without: bench_thread())) { $0 + $1.switches() } }
        let before = count()
        sleep(seconds)
        return count() - before
    }

    enum Failure: Error, CustomStringConvertible {
        case noWarden
        case missing(Int)

        var description: String {
            switch self {
            case .noWarden: "no warden of this process is to be seen in /proc"
            case .missing(let count): "the warden has \(count) children"
            }
        }
    }
}
