import AnnexLinux
import AnnexTestSupport
import Synchronization
import Testing

@testable import AnnexChannel

/// Peers that write arbitrary bytes. The bytes come from a seed, which is printed if a test fails.
@Suite(.timeLimit(.minutes(20))) struct RandomBytesTests {
    @Test(arguments: 0..<20)
    func `any bytes in a ring give frames or a named violation`(_ turn: Int) throws {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        let capacity: UInt32 = 4096
        let size = RegionLayout.size(capacity: capacity)
        let memory = try Descriptor.memfd("annex-random", size: Int64(size))
        let mapping = try Mapping(memory, size: size, writable: true)
        let own = OwnRegion(try Mapping(memory, size: size, writable: true), capacity: capacity)
        let peer = PeerRegion(try Mapping(memory, size: size, writable: false), capacity: capacity)
        for _ in 0..<200 {
            fill(mapping, &random)
            // The consumed position is stored in another place, because this test checks only reading.
            var reader = RingReader(ring: peer.ring, consumed: own.sender)
            do throws(ChannelViolation) {
                while !reader.hasReadARing(since: 0), let frame = try reader.next() {
                    #expect(frame.payload.count <= Int(capacity / 2), "SEED \(seed)")
                }
            } catch {
                #expect(!"\(error)".isEmpty, "SEED \(seed)")
            }
        }
    }

    @Test(arguments: 0..<20)
    func `every call ends and the host lives for any bytes that a peer publishes`(_ turn: Int) async throws {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        let channel = try HostileChannel()
        let host = channel.host
        var writer = RawWriter(channel.peer)
        writer.sendHello()
        let calls = try await [host.start(Request(method: 1)), host.start(Request(method: 2))]
        for _ in 0..<50 where !host.state.isClosed.load(ordering: .relaxed) {
            writer.send(randomFrame(&random))
            if Bool.random(using: &random) {
                let junk = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                    UInt8.random(in: 0...2, using: &random)
                }
                try? channel.peer.control.send(junk)
            }
        }
        host.end(with: "SEED \(seed)")
        for call in calls { _ = try? await call.value() }
        #expect(calls.allSatisfy { $0.isDone }, "SEED \(seed)")
    }

    /// A mostly plausible frame, because the reader's first check would reject purely random bytes.
    private func randomFrame(_ random: inout SeededRandom) -> [UInt8] {
        let payload = (0..<Int.random(in: 0...64, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
        }
        var frame = RawPeer.frame(
            [3, 3, 4, 4, 6, 8, 1, 2, 9].randomElement(using: &random) ?? 3, payload,
            descriptors: [0, 0, 0, 1, 255].randomElement(using: &random) ?? 0,
            method: UInt16.random(in: 0...3, using: &random), call: UInt64.random(in: 0...3, using: &random))
        if Int.random(in: 0..<10, using: &random) == 0 {
            frame[Int.random(in: 0..<16, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        return frame
    }

    private func fill(_ mapping: borrowing Mapping, _ random: inout SeededRandom) {
        for offset in stride(from: RegionLayout.ring, to: mapping.size, by: 8) {
            // Lengths are often small and kinds are often known, so that many frames follow one another.
            let word =
                Bool.random(using: &random)
                ? UInt64.random(in: 0...64, using: &random) << 32 | UInt64.random(in: 0...9, using: &random)
                : UInt64.random(in: 0...UInt64.max, using: &random)
            mapping.start.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
        }
    }
}
