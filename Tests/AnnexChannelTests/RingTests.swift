import AnnexLinux
import AnnexTestSupport
import Testing

@testable import AnnexChannel

/// A writer and a reader that share the same memory. Sizes and turns of every kind come from a seed, which is printed
/// if a check fails.
@Suite(.timeLimit(.minutes(20))) struct RingTests {
    @Test(arguments: [4096, 8192, 65536] as [UInt32], 0..<4)
    func `frames come out of a ring whole and in order`(_ capacity: UInt32, _ turn: Int) throws {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        let size = RegionLayout.size(capacity: capacity)
        let memory = try Descriptor.memfd("annex-ring", size: Int64(size))
        let own = OwnRegion(try Mapping(memory, size: size, writable: true), capacity: capacity)
        let peer = PeerRegion(try Mapping(memory, size: size, writable: false), capacity: capacity)
        var writer = RingWriter(ring: own.ring, consumed: peer.consumed)
        var reader = RingReader(ring: peer.ring, consumed: own.consumed)
        var (written, read, stayed) = (UInt64(0), UInt64(0), 0)
        // The distance by which the reader may fall behind changes all the time, and so do the sizes.
        var (behind, largest) = (0, 64)
        for _ in 0..<3000 {
            if Int.random(in: 0..<50, using: &random) == 0 {
                behind = [0, 0, 1, 5, 1000].randomElement(using: &random) ?? 0
                largest = [0, 64, 300, Int(capacity / 2)].randomElement(using: &random) ?? 0
            }
            let count = Int.random(in: 0...largest, using: &random)
            let isHeld = Bool.random(using: &random)
            let payload = bytes(of: written + 1, count)
            let header = FrameHeader(kind: .event, call: written + 1)
            // At times the writer knows which frames were read, as it would from an answer.
            let known = read == written && Bool.random(using: &random) ? read : 0
            let stays = Int.random(in: 0..<4, using: &random) > 0
            if !isHeld, Bool.random(using: &random),
                payload.withUnsafeBytes({
                    writer.publishAtOnce(header.plainWord, call: header.call, payload: $0, stays: stays, known: known)
                }) != nil
            {
                written += 1
                if stays { stayed += 1 }
            } else if try writer.hasRoom(payload: UInt32(count)) {
                written += 1
                payload.withUnsafeBytes { writer.write(header, payload: $0, holds: isHeld) }
                if !isHeld { _ = writer.publish() }
            } else {
                _ = writer.publish()
                behind = 0
            }
            while written - read > behind, let frame = try reader.next() {
                read += 1
                let isRight = frame.call == read && frame.payload == bytes(of: read, frame.payload.count)
                try #require(isRight, "SEED \(seed): frame \(read)")
                _ = reader.giveBack()
            }
        }
        _ = writer.publish()
        while let frame = try reader.next() {
            read += 1
            try #require(frame.call == read, "SEED \(seed)")
        }
        #expect(read == written && stayed > 0, "SEED \(seed)")
        _ = reader.giveBack()
        #expect(try writer.hasRoom(payload: capacity / 2), "SEED \(seed): an empty ring takes the largest frame")
    }

    @Test func `IPC-07: the bytes between a payload and the next frame are zero`() throws {
        let size = RegionLayout.size(capacity: 4096)
        let memory = try Descriptor.memfd("annex-ring", size: Int64(size))
        let mapping = try Mapping(memory, size: size, writable: true)
        let start = mapping.start + RegionLayout.ring
        for offset in 0..<4096 { start.storeBytes(of: 0xAA, toByteOffset: offset, as: UInt8.self) }
        let own = OwnRegion(try Mapping(memory, size: size, writable: true), capacity: 4096)
        let peer = PeerRegion(try Mapping(memory, size: size, writable: false), capacity: 4096)
        var writer = RingWriter(ring: own.ring, consumed: peer.consumed)
        [1, 2, 3].withUnsafeBytes { writer.write(FrameHeader(kind: .event), payload: $0) }
        for offset in 40..<64 { #expect(start.load(fromByteOffset: offset, as: UInt8.self) == 0) }
    }

    /// Bytes that differ between frames and are never 0. So a faulty reader would take any of these bytes for a
    /// header.
    private func bytes(of frame: UInt64, _ count: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: frame % 255 + 1), count: count)
    }
}
