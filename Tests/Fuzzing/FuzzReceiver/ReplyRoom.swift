import FuzzSupport

/// Where raw calls want their answers. Nothing may lie behind what was lent, nor behind the answer that has come, and
/// nothing may change once its caller has its memory back.
struct ReplyRoom: ~Copyable {
    /// An answer of as many pieces as the largest that is taken.
    static let most = 3 * Bench.piece
    private static let mark: UInt8 = 0xD7
    /// Where it is looked: at the first bytes of places where pieces would lie, and around what was lent.
    private static let edges = (0...3).map { $0 * Bench.piece } + [1, 8, 300, 4096, 70_000]

    private let bytes: UnsafeMutableRawBufferPointer

    init() {
        bytes = .allocate(byteCount: ReplyRoom.most + 64, alignment: 64)
        mark()
    }

    deinit { bytes.deallocate() }

    /// - Parameter body: gives the answer's length, or nil where there is none.
    func lend(_ size: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int?) {
        check()
        let count = body(UnsafeMutableRawBufferPointer(rebasing: bytes[..<size]))
        if let count { Fuzzer.expect(count <= size, "an answer longer than its room") }
        for edge in ReplyRoom.edges where edge >= count ?? size {
            Fuzzer.expect(bytes[edge] == ReplyRoom.mark, "bytes behind an answer")
        }
        mark()
    }

    /// What was lent before has stayed as its caller left it.
    func check() {
        for edge in ReplyRoom.edges {
            Fuzzer.expect(bytes[edge] == ReplyRoom.mark, "a caller's memory changed after its call")
        }
    }

    private func mark() {
        for edge in ReplyRoom.edges { bytes[edge] = ReplyRoom.mark }
    }
}
