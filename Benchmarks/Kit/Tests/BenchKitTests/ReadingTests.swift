import BenchKit
import Foundation
import Histogram
import Testing

@Suite struct ReadingTests {
    private static func file(_ words: [UInt64]) throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "samples-\(UUID().uuidString)").path
        try words.withUnsafeBytes { Data($0) }.write(to: URL(filePath: path))
        return path
    }

    @Test func `samples are picoseconds a call, batched ones apart`() throws {
        let path = try Self.file([32, 2, 3200, 6400, 1, 1, 150])
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (batched, single) = try SampleFile.read(path)
        #expect(batched?.totalCount == 2)
        #expect(batched?.valuesAreEquivalent(batched?.max ?? 0, 200_000) == true)
        #expect(single?.valuesAreEquivalent(single?.max ?? 0, 150_000) == true)
    }

    @Test func `a file that is cut short is no measurement`() throws {
        let path = try Self.file([1, 3, 100, 100])
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(throws: RunFailure.self) { try SampleFile.read(path) }
    }

    @Test func `stolen time is a share of all time between two looks`() throws {
        let before = try #require(Steal("cpu  100 0 100 700 0 0 0 100 9 9\ncpu0 1 1 1"))
        let after = try #require(Steal("cpu  150 0 100 800 0 0 0 150 9 9\n"))
        #expect(after.percent(since: before) == 25)
        #expect(Steal("intr 1 2 3") == nil)
    }

    @Test(arguments: [
        (0.0, "0"), (0.0953, "0.095"), (1.3, "1.3"), (9.999, "10"), (99.96, "100"), (47.31, "47.3"), (1234.4, "1,234"),
        (6_012_345, "6,012,345"), (-2.5, "-2.5"),
    ])
    func `numbers have three figures`(value: Double, text: String) {
        #expect(Number.short(value) == text)
    }
}
