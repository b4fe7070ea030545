import AnnexTestSupport
import Testing

@testable import AnnexHost

@Suite struct StandbyRoomTests {
    private final class Guest {}

    /// The number of launches that the pool needs now.
    private func launches(_ room: inout StandbyPool<Guest>) -> Int {
        var count = 0
        while room.startLaunch() { count += 1 }
        return count
    }

    private func filled(_ bounds: ClosedRange<Int>, _ count: Int) -> StandbyPool<Guest> {
        var room = StandbyPool<Guest>(keeping: bounds)
        for _ in 0..<count { _ = room.popFresh() }
        while room.startLaunch() { _ = room.launched(Guest()) }
        return room
    }

    @Test func `a caller that finds the pool empty raises its size up to the limit`() {
        var room = StandbyPool<Guest>(keeping: 1...3)
        #expect(launches(&room) == 1)
        let isParked = room.launched(Guest())
        #expect(isParked)
        #expect(room.popFresh() != nil)
        for _ in 0..<5 { #expect(room.popFresh() == nil) }
        #expect(room.wanted == 3)
        #expect(launches(&room) == 3)
        // After this, the pool makes no more launches in this round.
        room.failed()
        #expect(launches(&room) == 0)
        room.startRound()
        #expect(launches(&room) == 1)
    }

    @Test func `extensions that were not needed for a period go down to the lower limit`() {
        var room = filled(1...4, 3)
        #expect(room.count == 4)
        // The current period, in which the requests came, does not count yet.
        #expect(room.shrink().isEmpty)
        let taken = room.popFresh()
        #expect(taken != nil)
        #expect(room.shrink().count == 2)
        #expect(room.count == 1 && room.wanted == 1)
        #expect(room.shrink().isEmpty)
        #expect(!room.mayShrink)
    }

    @Test func `the pool keeps its size if all extensions were needed`() {
        var room = filled(1...4, 3)
        _ = room.shrink()
        for _ in 0..<5 {
            for _ in 0..<4 { _ = room.popFresh() }
            while room.startLaunch() { _ = room.launched(Guest()) }
            #expect(room.shrink().isEmpty)
            #expect(room.wanted == 4 && room.count == 4)
        }
        // No caller came.
        #expect(room.shrink().count == 3)
        #expect(room.wanted == 1)
    }

    @Test func `an emptied pool is filled again only on demand or after a quiet period`() {
        var room = filled(2...4, 1)
        #expect(launches(&room) == 0)
        _ = room.popFresh()
        #expect(launches(&room) == 1)
        #expect(room.empty().count == 2)
        // The extension was still being launched.
        let isParked = room.launched(Guest())
        #expect(!isParked && room.count == 0)
        #expect(launches(&room) == 0 && room.pause == nil && room.mayShrink)
        #expect(room.shrink().isEmpty)
        #expect(room.wanted == 0)
        _ = room.empty()
        #expect(room.shrink().isEmpty)
        #expect(room.wanted == 0 && room.pause == nil)
        #expect(room.shrink().isEmpty)
        #expect(room.wanted == 2 && room.pause == .zero && !room.mayShrink)
        #expect(launches(&room) == 2)
    }

    @Test func `the lower limit is restored by itself and more slowly after failures`() {
        var room = StandbyPool<Guest>(keeping: 1...4)
        #expect(room.pause == .zero)
        var last = Duration.zero
        for _ in 0..<20 {
            room.startRound()
            #expect(launches(&room) == 1)
            #expect(room.pause == nil)
            let guest = Guest()
            let isParked = room.launched(guest)
            let wasParked = room.remove(guest)
            #expect(isParked && wasParked && launches(&room) == 0)
            let pause = room.pause ?? .zero
            #expect(pause >= min(last * 2, .seconds(60)) && pause > .zero && pause <= .seconds(60))
            last = pause
        }
        #expect(last == .seconds(60))
        room.startRound()
        #expect(launches(&room) == 1)
        _ = room.launched(Guest())
        #expect(room.popFresh() != nil)
        #expect(room.pause == .zero)
        // If an extension ends that is not parked, the pool makes no pause.
        let wasParked = room.remove(Guest())
        #expect(!wasParked && room.pause == .zero)
    }

    @Test func `only a request may get an extension that was used before`() throws {
        var room = StandbyPool<Guest>(keeping: 0...2, reuses: true)
        #expect(room.popAny() == nil)
        room.lost()
        #expect(launches(&room) == 1)
        _ = room.launched(Guest())
        let guest = room.popAny()
        // The extension comes back, so the pool launches no replacement.
        #expect(launches(&room) == 0)
        let used = try #require(guest)
        let isParked = room.putBack(used, until: 5)
        #expect(isParked)
        #expect(room.popFresh() == nil)
        #expect(room.popAny() === guest)
        _ = room.putBack(used, until: 7)
        #expect(room.expire(at: 6).isEmpty)
        #expect(room.nextDue == 7)
        #expect(room.expire(at: 7).first === guest)
        #expect(room.nextDue == nil)
    }

    /// Reports failed launches and extensions that do not return. In every case, two quiet periods and successful
    /// launches then restore the lower limit.
    private func settle(_ room: inout StandbyPool<Guest>, launching: Int, out: Int) {
        for _ in 0..<launching { room.failed() }
        for _ in 0..<out { room.lost() }
        for _ in 0..<2 { _ = room.shrink() }
        room.startRound()
        while room.startLaunch() { _ = room.launched(Guest()) }
    }

    @Test func `the pool never exceeds its limit and stays empty after its end`() {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        for _ in 0..<2000 {
            let most = Int.random(in: 0...5, using: &random)
            let least = Int.random(in: 0...most, using: &random)
            var room = StandbyPool<Guest>(keeping: least...most, reuses: .random(using: &random))
            var launching = 0
            var out = 0
            for _ in 0..<60 {
                switch Int.random(in: 0..<11, using: &random) {
                case 0: _ = room.popFresh()
                case 1:
                    _ = room.popAny()
                    out += 1
                case 2, 3: if room.startLaunch() { launching += 1 }
                case 4 where launching > 0:
                    launching -= 1
                    let isWanted = room.count < room.wanted
                    let isParked = room.launched(Guest())
                    #expect(isParked == isWanted, "seed \(seed)")
                case 5 where launching > 0:
                    launching -= 1
                    room.failed()
                case 6 where out > 0:
                    out -= 1
                    if Bool.random(using: &random) { room.lost() } else { _ = room.putBack(Guest(), until: 1) }
                case 7: _ = room.shrink()
                case 9: room.startRound()
                case 10: if let guest = room.fresh.randomElement(using: &random) { _ = room.remove(guest) }
                case 8 where Int.random(in: 0..<10, using: &random) == 0: _ = room.empty()
                default: break
                }
                #expect(room.count <= most && room.wanted <= most && launching <= most, "seed \(seed)")
            }
            settle(&room, launching: launching, out: out)
            #expect(room.count >= least && room.count <= most && room.pause == nil, "seed \(seed)")
            #expect(room.close().count <= most)
            #expect(launches(&room) == 0 && room.count == 0, "seed \(seed)")
            let isParked = room.putBack(Guest(), until: 1)
            #expect(!isParked, "seed \(seed)")
        }
    }
}
