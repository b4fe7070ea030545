import Testing

@Suite(.timeLimit(.minutes(20))) struct StayModelTests {
    @Test func `no order of the shipped steps loses a wake-up or takes a frame twice or never`() {
        let (states, lost) = StayModel().search()
        #expect(lost == nil)
        #expect(states > 1000)
    }

    @Test func `the same search finds a frame that was overwritten before it was taken`() {
        #expect(StayModel(waitsToKnow: false).search().lost != nil)
    }

    @Test func `the same search finds that frames in one place must differ`() {
        #expect(StayModel(laps: false).search().lost != nil)
    }

    @Test func `the same search finds the wake-up lost if the frame behind is not there first`() {
        #expect(StayModel(behindFirst: false).search().lost != nil)
    }

    @Test func `the same search finds a frame whose first word is seen before the rest`() {
        #expect(StayModel(releases: false).search().lost?.mistook == true)
    }

    @Test func `the same search finds a frame that was loaded before its first word`() {
        #expect(StayModel(acquires: false).search().lost?.mistook == true)
    }

    @Test func `the same search finds the wake-up that goes to the place behind`() {
        #expect(StayModel(wakesStayed: false).search().lost != nil)
    }
}
