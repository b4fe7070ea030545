import Foundation
import Testing

/// A watchdog must end a test that hangs, but never a slow test. A test may be slow because other programs also use the
/// processors.
@Suite struct WatchdogTests {
    private static let minutes = 20

    @Test func `every suite has the same time limit`() throws {
        var seen = 0
        for (file, text) in try SourceTree.testFiles() {
            for limit in text.matches(of: /timeLimit\(\.minutes\((\d+)\)\)/) {
                seen += 1
                #expect(Int(limit.1) == Self.minutes, "\(file)")
            }
        }
        #expect(seen > 50)
    }

    @Test func `the run has more time than each of its tests`() throws {
        let script = try String(contentsOf: SourceTree.root.appending(path: ".ci/test"), encoding: .utf8)
        let seconds = script.firstMatch(of: /timeout --kill-after=10 (\d+)/).flatMap { Int($0.1) }
        #expect(seconds ?? 0 > Self.minutes * 60)
    }
}
