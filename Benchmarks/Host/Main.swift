import AnnexHost
import CBenchDriver
import Glibc

/// Our side of every comparison: a host whose extension is inside its full sandbox.
@main
enum Main {
    // On no actor: an asynchronous measurement begins and goes on in the task pool, as a server's would.
    nonisolated static func main() async {
        if Array(CommandLine.arguments.dropFirst()) == ["list"] { return list() }
        guard let plan = Plan() else { exit(64) }
        guard let contender = Contender(rawValue: plan.contender) else {
            Complaint.print("no such contender: \(plan.contender)")
            exit(64)
        }
        do {
            let sandboxed = try Sandboxed(plan)
            let status = await contender.measure(plan, sandboxed)
            _ = await sandboxed.session.complete()
            exit(status)
        } catch {
            Complaint.print("\(error)")
            exit(1)
        }
    }

    private static func list() {
        for contender in Contender.allCases { print("\(contender.rawValue)\t\(contender.about)") }
    }
}
