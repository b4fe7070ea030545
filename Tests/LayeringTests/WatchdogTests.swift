import Foundation
import Testing

/// A watchdog is there for a test that hangs, never for one that is slow: while it runs, others want the processors too.
@Suite struct WatchdogTests {
    private static let minutes = 20

    @Test func noSuiteIsGivenLessTimeThanAnother() throws {
        var seen = 0
        for (file, text) in try SourceTree.swiftFiles(in: "Tests") {
            for limit in text.matches(of: /timeLimit\(\.minutes\((\d+)\)\)/) {
                seen += 1
                #expect(Int(limit.1) == Self.minutes, "\(file)")
            }
        }
        #expect(seen > 50)
    }

    @Test func theRunIsGivenMoreThanEachOfItsTests() throws {
        let script = try String(contentsOf: SourceTree.root.appending(path: ".ci/test"), encoding: .utf8)
        let seconds = script.firstMatch(of: /timeout --kill-after=10 (\d+)/).flatMap { Int($0.1) }
        #expect(seconds ?? 0 > Self.minutes * 60)
    }
}
