import AnnexLinux
import Glibc
import Synchronization
import Testing

@testable import AnnexChannel

/// A peer that changes bytes at full speed while the host reads them.
@Suite(.timeLimit(.minutes(20))) struct DoubleFetchTests {
    @Test func `IPC-01: a header that changes while the host reads it never passes with another value`() async throws {
        let (capacity, rounds) = (UInt32(4096), 20_000)
        let memory = try Descriptor.memfd("annex-flip", size: Int64(RegionLayout.size(capacity: capacity)))
        let size = RegionLayout.size(capacity: capacity)
        let own = OwnRegion(try Mapping(memory, size: size, writable: true), capacity: capacity)
        let peer = PeerRegion(try Mapping(memory, size: size, writable: false), capacity: capacity)
        let flipper = try Flipper(memory, size: size)
        let thread = ExtensionThread(raw: { flipper.run() })
        defer {
            flipper.stop()
            thread.join()
        }
        var (short, refused) = (0, 0)
        // On a busy machine, the flipper may not run for a while. So the test goes on until both cases have occurred.
        while short + refused < rounds || short == 0 || refused == 0 {
            // The consumed position is stored in another place, because this test checks only reading.
            var reader = RingReader(ring: peer.ring, consumed: own.sender)
            do throws(ChannelViolation) {
                let frame = try reader.next()
                // The copy is always as long as the length that was checked.
                #expect(frame?.payload.count == 16)
                short += 1
            } catch {
                #expect(error == .length(UInt64(UInt32.max), room: 2048))
                refused += 1
            }
        }
        #expect(short > 0 && refused > 0)
    }

    @Test func `IPC-01: a first header word that changes meanwhile is a frame or a violation`() async throws {
        for _ in 0..<20 {
            let channel = try HostileChannel()
            let peer = channel.peer
            let stop = Flag()
            let thread = ExtensionThread(raw: {
                var value: UInt32 = 0
                while !stop.isSet {
                    value = value &* 1_664_525 &+ 1_013_904_223
                    peer.header(at: 0).storeRelease(value)
                    peer.header(at: 0).wake()
                    try? peer.control.send(WireFormat.doorbell)
                }
            })
            #expect(await channel.violation() != nil)
            stop.set()
            thread.join()
        }
    }
}

/// Writes two lengths alternately into the first frame's header.
final class Flipper: Sendable {
    private let mapping: Mapping
    private let flag = Flag()

    init(_ memory: borrowing Descriptor, size: Int) throws {
        mapping = try Mapping(memory, size: size, writable: true)
        mapping.start.storeBytes(of: 16 << 32 | 6, toByteOffset: RegionLayout.ring, as: UInt64.self)
    }

    func run() {
        let length = WritableWord((mapping.start + RegionLayout.ring + 4).assumingMemoryBound(to: UInt32.self))
        while !flag.isSet {
            length.storeRelaxed(16)
            length.storeRelaxed(.max)
        }
    }

    func stop() {
        flag.set()
    }
}
