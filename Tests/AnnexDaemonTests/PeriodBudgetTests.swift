import Testing

@testable import AnnexDaemon

@Suite struct PeriodBudgetTests {
    @Test func `a budget allows a fixed number in each period`() {
        var budget = PeriodBudget(3)
        let second: UInt64 = 1_000_000_000
        let start: UInt64 = 5
        func spent(_ moment: UInt64) -> Int { (0..<10).count { _ in budget.spend(at: moment) } }
        #expect(spent(start) == 3 && spent(start + second - 1) == 0)
        #expect(spent(start + second) == 3 && spent(start + second) == 0)
        var slow = PeriodBudget(1, seconds: 60)
        let moments = [start, start + 59 * second, start + 60 * second]
        #expect(moments.map { slow.spend(at: $0) } == [true, false, true])
        // The arithmetic must not trap at the largest possible time.
        #expect(spent(.max) >= 3)
    }
}
