import AnnexLinux
import Testing

@testable import AnnexChannel

@Suite(.timeLimit(.minutes(20))) struct ArenaWriterTests {
    @Test(arguments: [0, 64, 1 << 30, 3 << 30, UInt32.max - 63] as [UInt32])
    func `a place in the arena comes back however far the ring has gone on meanwhile`(distance: UInt32) throws {
        var arena = try writer()
        arena.markUsed(0, until: 128)
        arena.markUsed(1, until: 192)
        expect(false, arena)
        // The place must not become free before the frame that uses it is read.
        arena.reclaim(upTo: 64, of: 192)
        expect(false, arena)
        let position = 192 &+ distance
        arena.reclaim(upTo: position, of: position)
        expect(true, arena)
        arena.markUsed(0, until: position &+ 64)
        arena.markUsed(1, until: position &+ 128)
        arena.reclaim(upTo: position, of: position &+ 128)
        expect(false, arena)
        arena.reclaim(upTo: position &+ 64, of: position &+ 128)
        expect(true, arena)
    }

    private func expect(
        _ hasFree: Bool, _ arena: borrowing ArenaWriter, _ place: SourceLocation = #_sourceLocation
    ) {
        let free = arena.hasFree
        #expect(free == hasFree, sourceLocation: place)
    }

    /// A writer with two places.
    private func writer() throws -> ArenaWriter {
        let size = RegionLayout.size(capacity: 4096, arena: 2 * WireFormat.pieceSize)
        let memory = try Descriptor.memfd("annex-arena", size: Int64(size))
        let region = OwnRegion(
            try Mapping(memory, size: size, writable: true), capacity: 4096, arena: 2 * WireFormat.pieceSize)
        return ArenaWriter(region.arena)
    }
}
