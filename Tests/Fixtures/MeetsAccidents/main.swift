// Launches one extension after another and lets an accident happen to each at a random moment. Prints each end that
// should not result, and the resources that are left after all rounds. Arguments: the bundles of Shout.app with
// works-on in it and of Pictures.app, the number of rounds, a seed.
import AnnexTestSupport
import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 5, let rounds = Int(arguments[3]), let seed = UInt64(arguments[4]) else {
    print("usage: meets-accidents SHOUT PICTURES ROUNDS SEED")
    exit(64)
}
/// Printed at once: a run that is interrupted has still printed its observations.
func say(_ text: String) {
    print(text)
    fflush(nil)
}

/// The number of rounds between two looks at the resources that are left.
let batch = 250
let course = try Course([arguments[1], arguments[2]])

// The first of each makes everything that is made once and kept.
let before = await MachineCounts.warmed {
    for accident in Accident.allCases where ![.wardenIsStopped, .usesUpItsProcessor].contains(accident) {
        _ = await course.run(accident, Moment(isAfterBirth: false, delay: 5000, length: 100))
    }
    _ = await course.run(.nothing, Moment(isAfterBirth: false, delay: 0, length: 0))
}
let openBefore = try OpenDescriptors.names()

/// Whether no count is higher than before.
func isClean(after round: Int) async throws -> Bool {
    let after = await MachineCounts.settled(to: before)
    guard after.isMore(than: before) else { return true }
    say("left, seed \(seed), after round \(round)\nbefore: \(before)\nafter: \(after)")
    say("open before: \(openBefore)\nopen after: \(try OpenDescriptors.names())")
    return false
}

var random = SeededRandom(seed: seed)
var reasons: [String: Int] = [:]
var last = Accident.nothing
var isAllClean = true
for number in 0..<rounds {
    let (accident, moment) = (Accident.drawn(using: &random), Moment.drawn(using: &random))
    let end = await course.run(accident, moment)
    reasons["\(accident) → \(end.reason)", default: 0] += 1
    let isExpected = accident.mayEnd.contains(end.reason) && accident.isTold(by: end.text)
    // A warden that died between two rounds is noticed by the second round at the earliest.
    let isLate = last == .wardenIsKilled && end.reason == "launchFailed" && end.text.contains("warden")
    if !isExpected && !isLate {
        say(
            "unexpected, seed \(seed), round \(number): \(accident) \(moment) after \(last) → \(end.reason) \(end.text)"
        )
    }
    last = accident
    if number % batch == batch - 1 { isAllClean = try await isClean(after: number) && isAllClean }
}
isAllClean = try await isClean(after: rounds) && isAllClean
for (what, count) in reasons.sorted(by: { $0.key < $1.key }) { say("\(count) × \(what)") }
say("\(before)")
say("more than before: \(!isAllClean)")
