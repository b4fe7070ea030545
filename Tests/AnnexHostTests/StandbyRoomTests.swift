import AnnexTestSupport
import Testing

@testable import AnnexHost

@Suite struct StandbyRoomTests {
    private final class Guest {}

    /// How many launches it asks for now.
    private func launches(_ room: inout StandbyRoom<Guest>) -> Int {
        var count = 0
        while room.startLaunch() { count += 1 }
        return count
    }

    private func filled(_ bounds: ClosedRange<Int>, _ count: Int) -> StandbyRoom<Guest> {
        var room = StandbyRoom<Guest>(keeping: bounds)
        for _ in 0..<count { _ = room.takeFresh() }
        while room.startLaunch() { _ = room.launched(Guest()) }
        return room
    }

    @Test func `who finds nobody makes one more wanted, up to the bound`() {
        var room = StandbyRoom<Guest>(keeping: 1...3)
        #expect(launches(&room) == 1)
        let isParked = room.launched(Guest())
        #expect(isParked)
        #expect(room.takeFresh() != nil)
        for _ in 0..<5 { #expect(room.takeFresh() == nil) }
        #expect(room.wanted == 3)
        #expect(launches(&room) == 3)
        room.failed()
        #expect(launches(&room) == 1)
    }

    @Test func `those that were not needed for a period go, the lower bound stays`() {
        var room = filled(1...4, 3)
        #expect(room.count == 4)
        // The period in which they came says nothing yet.
        #expect(room.shrink().isEmpty)
        let taken = room.takeFresh()
        #expect(taken != nil)
        #expect(room.shrink().count == 2)
        #expect(room.count == 1 && room.wanted == 1)
        #expect(room.shrink().isEmpty)
        #expect(!room.mayShrink)
    }

    @Test func `a session never gets one that was used, a request may`() throws {
        var room = StandbyRoom<Guest>(keeping: 0...2, reuses: true)
        #expect(room.takeAny() == nil)
        room.lost()
        #expect(launches(&room) == 1)
        _ = room.launched(Guest())
        let guest = room.takeAny()
        // It comes back: nobody is launched in its stead.
        #expect(launches(&room) == 0)
        let used = try #require(guest)
        let isParked = room.putBack(used, until: 5)
        #expect(isParked)
        #expect(room.takeFresh() == nil)
        #expect(room.takeAny() === guest)
        _ = room.putBack(used, until: 7)
        #expect(room.expire(at: 6).isEmpty)
        #expect(room.nextDue == 7)
        #expect(room.expire(at: 7).first === guest)
        #expect(room.nextDue == nil)
    }

    @Test func `whatever happens, no more are parked than the bound, and none after the end`() {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        for _ in 0..<2000 {
            let most = Int.random(in: 0...5, using: &random)
            var room = StandbyRoom<Guest>(
                keeping: Int.random(in: 0...most, using: &random)...most, reuses: .random(using: &random))
            var launching = 0
            var out = 0
            for _ in 0..<60 {
                switch Int.random(in: 0..<9, using: &random) {
                case 0: _ = room.takeFresh()
                case 1:
                    _ = room.takeAny()
                    out += 1
                case 2, 3: if room.startLaunch() { launching += 1 }
                case 4 where launching > 0:
                    launching -= 1
                    _ = room.launched(Guest())
                case 5 where launching > 0:
                    launching -= 1
                    room.failed()
                case 6 where out > 0:
                    out -= 1
                    if Bool.random(using: &random) { room.lost() } else { _ = room.putBack(Guest(), until: 1) }
                case 7: _ = room.shrink()
                case 8 where Int.random(in: 0..<10, using: &random) == 0: _ = room.empty()
                default: break
                }
                #expect(room.count <= most && room.wanted <= most && launching <= most, "seed \(seed)")
            }
            #expect(room.close().count <= most)
            #expect(launches(&room) == 0 && room.count == 0, "seed \(seed)")
            let isParked = room.putBack(Guest(), until: 1)
            #expect(!isParked, "seed \(seed)")
        }
    }
}
