import Testing

@testable import AnnexLaunch

struct ConnectPausesTests {
    @Test(arguments: [UInt64(0), 1_000, 900_000, 5_000_000, 100_000_000, 90_000_000_000])
    func `a look comes an eighth of the time later, within bounds`(elapsed: UInt64) {
        let now = 7_000_000_000 + elapsed
        let pause = ConnectPauses(since: 7_000_000_000).moment(at: now) - now
        #expect(pause == min(max(elapsed / 8, 100_000), 16_000_000))
    }

    @Test func `a clock that is behind the beginning makes the shortest pause`() {
        #expect(ConnectPauses(since: 9).moment(at: 5) == 100_005)
    }
}
