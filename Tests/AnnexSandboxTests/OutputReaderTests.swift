import AnnexLinux
import Glibc
import Synchronization
import Testing

@testable import AnnexLaunch

@Suite(.timeLimit(.minutes(20))) struct OutputReaderTests {
    @Test(arguments: [true, false]) func `L10: output of private input is counted and not kept`(isPrivate: Bool) throws
    {
        let loop = try EventLoop()
        defer { loop.shutDown() }
        let ends = try DescriptorPair.pipe(nonBlocking: true)
        let reader = try OutputReader(ends.first.duplicate(), limit: 4096, isKept: !isPrivate, on: loop) { _ in }
        let words = Array("typed".utf8)
        try ends.second.writeAll(words)
        let tail = reader.finish()
        #expect(tail.total == UInt64(words.count) && tail.bytes == (isPrivate ? [] : words))
    }

    @Test func `BOMB-06: output beyond the limit is not read`() async throws {
        let loop = try EventLoop()
        defer { loop.shutDown() }
        let ends = try DescriptorPair.pipe(nonBlocking: true)
        let most = Int(fcntl(ends.second.number, 1032))  // F_GETPIPE_SZ, which Glibc leaves out
        let limit = 4096
        let heard = Atomic<UInt64>(0)
        let reader = try OutputReader(ends.first.duplicate(), limit: UInt64(limit), on: loop) {
            heard.store($0, ordering: .releasing)
        }
        try ends.second.writeAll([UInt8](repeating: 65, count: limit + 1))
        while heard.load(ordering: .acquiring) <= limit { sched_yield() }
        let told = heard.load(ordering: .acquiring)
        // The program writes without end. It fills its pipe, and fills the pipe again after each turn of the loop.
        let piece = [UInt8](repeating: 66, count: 4096)
        var written = 0
        for _ in 0..<64 {
            while write(ends.second.number, piece, piece.count) == piece.count { written += piece.count }
            await withCheckedContinuation { turn in loop.execute { turn.resume() } }
        }
        #expect(written <= most)
        #expect(heard.load(ordering: .acquiring) == told)
        #expect(reader.finish().total == UInt64(limit + 1 + written))
    }
}
