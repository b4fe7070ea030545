import AnnexLinux
import AnnexTestSupport
import Testing

@testable import AnnexChannel

/// Compares a writer that turns back to the start of its ring with a model of the rule in the wire's description. The
/// rule states when the writer may turn, and where the next frame then lies. No frame may be lost or overtaken.
@Suite(.timeLimit(.minutes(20))) struct RingTurnTests {
    private struct Written {
        let number: UInt64
        let place: UInt32
        let length: Int
    }

    @Test(arguments: 0..<6)
    func `random schedules of a writer and its reader turn by the rule and lose no frame`(_ round: Int) throws {
        let seed = SeededRandom.fresh() &+ UInt64(round)
        var random = SeededRandom(seed: seed)
        let capacity: UInt32 = [8192, 16384, 65536][round % 3]
        let size = RegionLayout.size(capacity: capacity)
        let memory = try Descriptor.memfd("annex-turns", size: Int64(size))
        let own = OwnRegion(try Mapping(memory, size: size, writable: true), capacity: capacity)
        let peer = PeerRegion(try Mapping(memory, size: size, writable: false), capacity: capacity)
        var writer = RingWriter(ring: own.ring, consumed: peer.consumed)
        var reader = RingReader(ring: peer.ring, consumed: own.consumed)
        var (under, place, number, turns) = ([Written](), UInt32(0), UInt64(0), 0)
        var pace = 0
        for step in 0..<20_000 {
            // The reader keeps up, falls behind and catches up again.
            if step % 500 == 0 { pace = Int.random(in: 1...9, using: &random) }
            if Int.random(in: 0..<10, using: &random) < pace, let frame = try reader.next() {
                let next = under.removeFirst()
                try #require(frame.call == next.number && frame.payload.count == next.length, "seed \(seed)")
                if Bool.random(using: &random) { _ = reader.giveBack() }
                continue
            }
            let length = Int.random(in: 0...200, using: &random)
            guard try writer.hasRoom(payload: UInt32(length)) else {
                _ = reader.giveBack()
                continue
            }
            let seen = writer.seen
            number += 1
            [UInt8](repeating: 0xFF, count: length).withUnsafeBytes {
                writer.write(FrameHeader(kind: .event, call: number), payload: $0)
            }
            _ = writer.publish()
            under.append(Written(number: number, place: place, length: length))
            let header = peer.ring.firstWord(at: place)
            try #require(header != .none, "no frame where the model has it; seed \(seed)")
            let (start, end) = (place & (capacity - 1), place &+ WireFormat.frameSize(payload: UInt32(length)))
            if header.marks.contains(.turn) {
                turns += 1
                let taken = seen &- (place &- start)
                let isAllowed = start >= 4096 && taken >= 2048 && taken <= start
                try #require(isAllowed, "a turn at \(start), \(taken) taken; seed \(seed)")
            }
            place = WireFormat.next(after: end, turns: header.marks.contains(.turn), capacity: capacity)
            // No unread frame may be overwritten. The check uses the sum from the wire's description.
            let unread = place &- reader.position
            try #require(unread + 64 <= capacity, "\(unread) unread in \(capacity); seed \(seed)")
        }
        while let frame = try reader.next() {
            let next = under.removeFirst()
            try #require(frame.call == next.number, "seed \(seed)")
        }
        #expect(under.isEmpty && reader.position == place && turns > 0, "\(turns) turns; seed \(seed)")
    }
}
