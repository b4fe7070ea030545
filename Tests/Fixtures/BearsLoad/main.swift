// A host under load for a given time: many sessions at once, requests, ends of all kinds. Prints the memory that it and
// its warden use meanwhile, and whether that stays flat. Arguments: the bundles of Shout.app with works-on in it and of
// Pictures.app, the number of seconds, a seed.
import AnnexTestSupport
import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 5, let seconds = Int(arguments[3]), let seed = UInt64(arguments[4]) else {
    print("usage: bears-load SHOUT PICTURES SECONDS SEED")
    exit(64)
}

/// Printed at once: a run that is interrupted has still printed its observations.
func say(_ text: String) {
    print(text)
    fflush(nil)
}

let load = try Load([arguments[1], arguments[2]])
let started = ContinuousClock.now
let end = started + .seconds(seconds)
/// Between two looks; long enough for many lives.
let interval = Duration.seconds(min(10, max(1, seconds / 10)))

let lanes = (0..<8).map { lane in
    Task { () -> String? in
        var random = SeededRandom(seed: seed &+ UInt64(lane))
        while ContinuousClock.now < end {
            if let wrong = await load.live(Part.drawn(using: &random)) { return wrong }
        }
        return nil
    }
}

var course = Course()
while true {
    try await Task.sleep(for: interval)
    // The memory that the last lanes release when they stop is no part of the load.
    guard ContinuousClock.now < end else { break }
    let elapsed = (ContinuousClock.now - started).components.seconds
    say(course.sample(at: Double(elapsed)) + ", \(load.count) lives")
}
var wrongs: [String] = []
for lane in lanes { if let wrong = await lane.value { wrongs.append(wrong) } }
for wrong in wrongs { say("unexpected, seed \(seed): \(wrong)") }
for (what, count) in load.ends { say("\(count) × \(what)") }
say(course.verdict)
