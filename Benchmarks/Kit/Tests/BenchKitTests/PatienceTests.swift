import Testing

@testable import BenchKit

@Suite struct PatienceTests {
    @Test func itEnds() {
        var none = Patience(seconds: 0)
        var short = Patience(seconds: 0.01)
        let rests = [none.rest(), short.rest(), short.rest()]
        #expect(rests == [false, true, false])
    }

    @Test func whatATryTookCounts() {
        var patience = Patience(seconds: 100)
        patience.spend(100.5)
        let rests = patience.rest()
        #expect(!rests)
    }

    @Test func timeIsToldOnlyWhereItGoesOn() throws {
        let earlier = try #require(Steal("cpu  10 0 10 70 0 0 0 10 0 0\n"))
        let later = try #require(Steal("cpu  20 0 20 140 0 0 0 20 0 0\n"))
        #expect(later.time(since: earlier) == (100, 10))
        #expect(earlier.time(since: later) == (0, 0))
        #expect(earlier.percent(since: earlier) == 0)
    }
}
