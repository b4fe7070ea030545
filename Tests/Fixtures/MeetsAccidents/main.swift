// Launches one extension after another and lets something happen to each at a random moment; says which end was none
// that may come of it, and what is left at the end. Arguments: the app's bundle with works-on in it, the extension's
// identifier, the number of rounds, a seed.
import AnnexBroker
import AnnexHost
import AnnexPolicy
import AnnexTestSupport
import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 5, let rounds = Int(arguments[3]), let seed = UInt64(arguments[4]) else {
    print("usage: meets-accidents APP IDENTIFIER ROUNDS SEED")
    exit(64)
}

var wishes = BrokerWishes()
wishes.holdsBack = false
wishes.adjust = { limits in
    limits.launch = .seconds(20)
    limits.watchdog = .seconds(5)
    limits.request = .seconds(60)
}
let broker = try Broker(wishes)
_ = try broker.install(app: arguments[1])
let course = Course(AnnexHost(service: broker), arguments[2])

// Everything that is made once and kept is made by the first.
let before = await MachineCounts.warmed {
    for accident in [Accident.nothing, .hostCancels, .extensionIsKilled, .wardenIsKilled, .chatters, .nothing] {
        _ = await course.run(accident, after: 10_000)
    }
}
let openBefore = try OpenDescriptors.names()
var random = SeededRandom(seed: seed)
var reasons: [String: Int] = [:]
var last = Accident.nothing
for number in 0..<rounds {
    let accident = Accident.drawn(using: &random)
    let end = await course.run(accident, after: Int.random(in: 0..<40_000, using: &random))
    reasons["\(accident) → \(end.reason)", default: 0] += 1
    // A warden that died between two rounds is noticed by the second at the earliest.
    let isExpected = accident.mayEnd.contains(end.reason) || last == .wardenIsKilled && end.reason == "launchFailed"
    if !isExpected { print("unexpected, seed \(seed), round \(number): \(accident) → \(end.text)") }
    last = accident
}
let after = await MachineCounts.settled(to: before)
for (what, count) in reasons.sorted(by: { $0.key < $1.key }) { print("\(count) × \(what)") }
print(before)
print(after)
if after.isMore(than: before) { print("open before: \(openBefore)\nopen after: \(try OpenDescriptors.names())") }
print("more than before: \(after.isMore(than: before))")
