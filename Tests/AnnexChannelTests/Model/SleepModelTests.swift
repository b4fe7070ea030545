import Testing

@Suite struct SleepModelTests {
    @Test("no order of the shipped steps loses a wake-up", arguments: [SleepModel.Bed.position, .doorbell])
    func shipped(_ bed: SleepModel.Bed) {
        let (states, lost) = SleepModel(bed: bed).search()
        #expect(lost == nil)
        #expect(states > 100)
    }

    @Test("the same search finds the wake-up that sleeping on one's own flag loses")
    func ownFlag() {
        #expect(SleepModel(bed: .ownFlag).search().lost != nil)
    }

    @Test("the same search finds what is lost without the fences", arguments: [SleepModel.Bed.position, .doorbell])
    func withoutFences(_ bed: SleepModel.Bed) {
        #expect(SleepModel(bed: bed, fences: false).search().lost != nil)
    }

    @Test("a host at rest has to look again after it asked for the doorbell")
    func withoutLookingAgain() {
        #expect(SleepModel(bed: .doorbell, looksAgain: false).search().lost != nil)
    }
}
