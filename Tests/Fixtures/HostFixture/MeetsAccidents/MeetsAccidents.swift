// Launches one extension after another, and causes an accident to each at a random moment. Prints each unexpected end,
// and the resources that are left after all rounds. The arguments are the bundle of Shout.app with works-on in it, the
// bundle of Pictures.app, the number of rounds, and a seed.
import AnnexTestSupport
import Foundation

enum MeetsAccidents {
    static func run() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let rounds = Int(arguments[3]), let seed = UInt64(arguments[4]) else {
            print("usage: meets-accidents SHOUT PICTURES ROUNDS SEED")
            exit(64)
        }
        /// The number of rounds between two checks of the resources that are left.
        let batch = 250
        let course = try Course([arguments[1], arguments[2]])

        // The first run of each accident creates all objects that are created once and then kept.
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
            // If a warden died between two rounds, only the second round can notice it.
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
    }
}
