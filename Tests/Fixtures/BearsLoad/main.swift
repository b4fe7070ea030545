// A host under load for so long: many sessions at once, requests, ends of all kinds; says what it and its warden use of
// memory meanwhile, and whether that stays as it is. Arguments: the bundles of Shout.app with works-on in it and of
// Pictures.app, the number of seconds, a seed.
import AnnexTestSupport
import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 5, let seconds = Int(arguments[3]), let seed = UInt64(arguments[4]) else {
    print("usage: bears-load SHOUT PICTURES SECONDS SEED")
    exit(64)
}

/// Said at once: a run that something ends has told what it saw.
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
    // What the last lanes give back when they stop is no part of the load.
    guard ContinuousClock.now < end else { break }
    let elapsed = (ContinuousClock.now - started).components.seconds
    say(course.sample(at: Double(elapsed)) + ", \(load.count) lives")
}
var wrongs: [String] = []
for lane in lanes { if let wrong = await lane.value { wrongs.append(wrong) } }
for wrong in wrongs { say("unexpected, seed \(seed): \(wrong)") }
for (what, count) in load.ends { say("\(count) × \(what)") }
say(course.verdict)
