import Testing

@testable import AnnexDaemon

@Suite struct DescriptorBudgetTests {
    @Test func `the last descriptors are kept for root and each user has a bounded share`() {
        let shared = DescriptorBudget(limit: 524_288, isShared: true)
        #expect(!shared.isReserved(524_223) && shared.isReserved(524_224))
        #expect(shared.ofOneUser == 131_056)
        #expect(DescriptorBudget(limit: 524_288, isShared: false).ofOneUser == 524_224)
        let small = DescriptorBudget(limit: 256, isShared: true)
        #expect(!small.isReserved(239) && small.isReserved(240) && small.ofOneUser == 64)
    }
}
