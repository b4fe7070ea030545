/// The memory for the answers of raw calls. The host must not write beyond the lent memory or beyond the end of the
/// answer. It must not change the memory after the call has returned.
struct ReplyRoom: ~Copyable {
    /// The room for an answer with as many pieces as the largest accepted answer.
    static let most = 3 * Bench.piece
    private static let mark: UInt8 = 0xD7
    /// The places that are checked. These are the first bytes of the places for pieces, and the bytes around the lent
    /// memory.
    private static let edges = (0...3).map { $0 * Bench.piece } + [1, 8, 300, 4096, 70_000]

    private let bytes: UnsafeMutableRawBufferPointer

    init() {
        bytes = .allocate(byteCount: ReplyRoom.most + 64, alignment: 64)
        mark()
    }

    deinit { bytes.deallocate() }

    /// - Parameter body: returns the answer's length, or nil if there is no answer.
    func lend(_ size: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int?) {
        check()
        let count = body(UnsafeMutableRawBufferPointer(rebasing: bytes[..<size]))
        if let count { Fuzzer.expect(count <= size, "an answer longer than its room") }
        for edge in ReplyRoom.edges where edge >= count ?? size {
            Fuzzer.expect(bytes[edge] == ReplyRoom.mark, "bytes behind an answer")
        }
        mark()
    }

    /// Checks that memory that was lent before has not changed since its caller got it back.
    func check() {
        for edge in ReplyRoom.edges {
            Fuzzer.expect(bytes[edge] == ReplyRoom.mark, "a caller's memory changed after its call")
        }
    }

    private func mark() {
        for edge in ReplyRoom.edges { bytes[edge] = ReplyRoom.mark }
    }
}
