import Glibc

/// Annex's side of every comparison: a host whose extension is inside its full sandbox.
@main
enum Main {
    // This function runs on no actor. So an asynchronous measurement runs in the task pool from its beginning, as in a
    // server.
    nonisolated static func main() async {
        if Array(CommandLine.arguments.dropFirst()) == ["list"] { return list() }
        guard let plan = Plan() else { exit(64) }
        do {
            if plan.contender == "launch-steps" { return try LaunchSteps.print(plan) }
            if plan.contender == "idle-costs" { return try IdleCosts.print(plan) }
            guard let contender = Contender(rawValue: plan.contender) else {
                Complaint.print("no such contender: \(plan.contender)")
                exit(64)
            }
            exit(try await contender.measure(plan))
        } catch {
            Complaint.print("\(error)")
            exit(1)
        }
    }

    private static func list() {
        for contender in Contender.allCases { print("\(contender.rawValue)\t\(contender.about)") }
    }
}
