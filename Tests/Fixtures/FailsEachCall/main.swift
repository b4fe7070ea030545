// A host in which each system call fails in turn, once. These are the calls of a broker's start, of a launch, of a
// request and of an end. The host prints the result of each failure that is not a clean error, how often each call
// failed, and the resources that are left. Arguments: the app's bundle with works-on in it, the extension's
// identifier, and the folder for private directories if the extension has one.
import AnnexHost
import AnnexTestSupport
import CFailingCalls
import Foundation

let arguments = CommandLine.arguments
guard (3...4).contains(arguments.count) else {
    print("usage: fails-each-call APP IDENTIFIER [PRIVATE]")
    exit(64)
}

/// Prints a line at once. If the program hangs, its output shows where.
func say(_ text: String) {
    print(text)
    fflush(nil)
}

let life = Life(app: arguments[1], identifier: arguments[2], privates: arguments.count > 3 ? arguments[3] : nil)

/// Handles one kind of call after another. The first call of a kind fails, then the second, until there are no more
/// calls of this kind.
func failEach(_ stage: Stage) async throws {
    var place: Int32 = 0
    while let name = failing_call(place).map({ String(cString: $0) }) {
        let error = failing_call_error(place).map { String(cString: $0) } ?? ""
        var time = 0
        var outcomes: [String: Int] = [:]
        repeat {
            time += 1
            let outcome = await life.run(stage, failing: place, time)
            guard call_has_failed() == 1 else { break }
            let isClean = outcome == "well" || outcome.contains(error)
            outcomes[outcome == "well" ? "well" : error, default: 0] += 1
            if !isClean { say("unclear: \(stage), \(name) \(time) with \(error) → \(outcome)") }
            // Sixty failures of each call are enough. Some calls occur much more often, because a thread that polls
            // makes them.
        } while time < 60
        fail_call(place, 0)
        let after = await life.run(stage, failing: place, 0)
        if after != "well" { say("unclear: \(stage), after \(name) → \(after)") }
        if !outcomes.isEmpty { say("\(stage): \(name) failed \(time - 1) times in turn: \(outcomes)") }
        place += 1
    }
}

// The first run of each stage creates all objects that are created once and then kept.
let before = await MachineCounts.warmed { for stage in Stage.allCases { _ = await life.run(stage, failing: 0, 0) } }
let openBefore = try OpenDescriptors.names()
/// This broker lives during the whole run. A broker that starts during the run must not mistake this broker's
/// resources for those of a dead broker.
var witness: ExtensionSession? = try await life.begin()
for stage in Stage.allCases { try await failEach(stage) }
if let session = witness.take() {
    let end = await life.end(session)
    if end != "well" { say("unclear: the witness → \(end)") }
}
let after = await MachineCounts.settled(to: before)
say("\(before)\n\(after)")
if after.isMore(than: before) { say("open before: \(openBefore)\nopen after: \(try OpenDescriptors.names())") }
say("more than before: \(after.isMore(than: before))")
