import Testing

@Suite struct SleepModelTests {
    @Test(arguments: [SleepModel.Bed.header, .bell, .doorbell, .headerAndSummons], [1, 2] as [UInt8])
    func `no order of the shipped steps loses a wake-up or takes an old frame`(_ bed: SleepModel.Bed, _ batch: UInt8) {
        let (states, lost) = SleepModel(bed: bed, batch: batch).search()
        #expect(lost == nil)
        #expect(states > 1000)
    }

    @Test(arguments: [SleepModel.Bed.header, .bell, .doorbell], [1, 2] as [UInt8])
    func `a writer may wake the reader late and skips it if an answer shows that its frame was taken`(
        _ bed: SleepModel.Bed, _ batch: UInt8
    ) {
        #expect(SleepModel(bed: bed, telling: .unlessTaken, batch: batch).search().lost == nil)
    }

    @Test(arguments: [SleepModel.Bed.header, .bell, .doorbell])
    func `the same search finds the sleeper that a writer never wakes`(_ bed: SleepModel.Bed) {
        #expect(SleepModel(bed: bed, telling: .never).search().lost != nil)
    }

    @Test func `the answer to a suspended task is lost unless the task asked for the doorbell`() {
        #expect(SleepModel(bed: .doorbell, attendance: .asked).search().lost == nil)
        #expect(SleepModel(bed: .doorbell, attendance: .forgotten).search().lost != nil)
    }

    @Test func `the same search finds the wake-up that a sleeper on its own flag loses`() {
        #expect(SleepModel(bed: .ownFlag).search().lost != nil)
    }

    @Test func `the same search finds the wake-up lost if the bell is read too late`() {
        #expect(SleepModel(bed: .bellReadLate).search().lost != nil)
    }

    @Test func `the same search finds the job lost if the summons is read too late`() {
        #expect(SleepModel(bed: .headerAndLateSummons).search().lost != nil)
    }

    @Test func `the same search finds the job lost if the sleeper is marked as idle too late`() {
        #expect(SleepModel(bed: .headerAndSummons, marksIdleAtOnce: false).search().lost != nil)
    }

    @Test(arguments: [SleepModel.Bed.header, .bell, .doorbell, .headerAndSummons])
    func `the same search finds the wake-up lost without the fences`(_ bed: SleepModel.Bed) {
        #expect(SleepModel(bed: bed, fences: false).search().lost != nil)
    }

    @Test func `a host at rest has to poll again after it asked for the doorbell`() {
        #expect(SleepModel(bed: .doorbell, looksAgain: false).search().lost != nil)
    }

    @Test func `a writer that does not clear the next place lets old frames pass as new`() {
        #expect(SleepModel(clears: false).search().lost?.mistook == true)
    }

    @Test func `a writer that shows two frames at once wakes the sleeper on the first`() {
        #expect(SleepModel(wakesFirst: false, batch: 2).search().lost != nil)
    }

    @Test func `a reader that reports its position too late stops both sides`() {
        #expect(SleepModel(batch: 2, step: 3).search().lost != nil)
    }
}
