import Testing

@testable import AnnexLinux

@Suite struct TokenBucketTests {
    @Test func `a budget gives some times at once and then some in each second`() {
        var budget = TokenBucket(atOnce: 256, perSecond: 200)
        func taken(at moment: UInt64) -> UInt64 {
            var count: UInt64 = 0
            while budget.acquire(at: moment) { count += 1 }
            return count
        }
        #expect(taken(at: 0) == 256)
        #expect(taken(at: 1_000_000_000) == 200)
        #expect(taken(at: 1_000_000_001) == 0)
        #expect(taken(at: 100_000_000_000) == 256)
    }
}
