@testable import AnnexChannel

extension PeerAct {
    /// An answer that comes in pieces, as far as one act takes it.
    struct LargeAnswer {
        var to: Target
        /// What its beginning says.
        var length: UInt32
        var kind: UInt32
        /// Of a call that nobody has asked for yet.
        var method: UInt16
        /// The places that its next pieces name.
        var places: [UInt16]

        enum Target {
            /// What the host asks next.
            case asked
            /// The raw call, or the one of the table, that the host has not made yet: its answer lies there already.
            case nextRaw, nextCall
            /// None begins: more pieces of the last one.
            case going
            /// The same without a word of where it belongs.
            case call(UInt64)
        }
    }

    static func large(_ script: inout Script) -> PeerAct {
        let choice = script.number(below: 16)
        if choice == 15 { return .fill(place: script.number(below: Bench.places), script.byte()) }
        let target: LargeAnswer.Target =
            switch choice {
            case ..<5: .asked
            case ..<8: .nextRaw
            case ..<9: .nextCall
            case ..<14: .going
            default: .call(UInt64(script.number(below: 8)) | UInt64(script.number(below: 2)) << 63)
            }
        var answer = LargeAnswer(
            to: target, length: length(&script), kind: kind(&script), method: UInt16(script.number(below: 3)),
            places: [])
        let honest = (Int(answer.length) + Bench.piece - 1) / Bench.piece
        // As many as it takes, fewer or more.
        let lie = script.byte()
        let count = lie < 0x80 ? min(honest, 4) : Int(lie & 3)
        answer.places = (0..<count).map { _ in place(&script) }
        return .large(answer)
    }

    private static func place(_ script: inout Script) -> UInt16 {
        let choice = script.byte()
        return choice < 0xF8 ? UInt16(choice) % UInt16(Bench.places) : choice < 0xFE ? UInt16(choice & 7) : .max
    }

    /// Mostly one that is taken, with one piece, two or three.
    static func length(_ script: inout Script) -> UInt32 {
        let piece = WireFormat.pieceSize
        let lengths = [
            1, 100, 3000, piece - 1, piece, piece + 1, 2 * piece - 1, 2 * piece, 2 * piece + 1, 3 * piece, 150_000, 0,
            1 << 24, .max,
        ]
        let choice = script.number(below: 16)
        return choice < lengths.count ? lengths[choice] : script.word()
    }

    static func kind(_ script: inout Script) -> UInt32 {
        let choice = script.byte()
        return choice < 0xF0 ? 3 : UInt32(choice & 15)
    }
}
