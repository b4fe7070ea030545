import Testing

@Suite struct SleepModelTests {
    @Test(
        "no order of the shipped steps loses a wake-up or takes an old frame for a new one",
        arguments: [SleepModel.Bed.header, .bell, .doorbell], [1, 2] as [UInt8])
    func shipped(_ bed: SleepModel.Bed, _ batch: UInt8) {
        let (states, lost) = SleepModel(bed: bed, batch: batch).search()
        #expect(lost == nil)
        #expect(states > 1000)
    }

    @Test("the same search finds the wake-up that sleeping on one's own flag loses")
    func ownFlag() {
        #expect(SleepModel(bed: .ownFlag).search().lost != nil)
    }

    @Test("the same search finds the wake-up that is lost where the bell is read after the last look")
    func bellReadLate() {
        #expect(SleepModel(bed: .bellReadLate).search().lost != nil)
    }

    @Test(
        "the same search finds what is lost without the fences", arguments: [SleepModel.Bed.header, .bell, .doorbell])
    func withoutFences(_ bed: SleepModel.Bed) {
        #expect(SleepModel(bed: bed, fences: false).search().lost != nil)
    }

    @Test("a host at rest has to look again after it asked for the doorbell")
    func withoutLookingAgain() {
        #expect(SleepModel(bed: .doorbell, looksAgain: false).search().lost != nil)
    }

    @Test("a writer that does not clear the next place lets old frames pass for new ones")
    func withoutClearing() {
        #expect(SleepModel(clears: false).search().lost?.mistook == true)
    }

    @Test("after two frames at once the sleeper lies on the first of them")
    func wakingTheLast() {
        #expect(SleepModel(wakesFirst: false, batch: 2).search().lost != nil)
    }

    @Test("a reader that keeps more than a writer can do without stops both")
    func tellingTooLate() {
        #expect(SleepModel(batch: 2, step: 3).search().lost != nil)
    }
}
