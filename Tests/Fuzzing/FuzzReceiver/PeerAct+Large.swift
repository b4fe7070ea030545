@testable import AnnexChannel

extension PeerAct {
    /// The part of an answer in pieces that one act sends.
    struct LargeAnswer {
        var to: Target
        /// The length and the kind that the first frame states.
        var length: UInt32
        var kind: UInt32
        /// The method that the answer names, if the host has not made its call yet.
        var method: UInt16
        /// The places that the next pieces name.
        var places: [UInt16]

        enum Target {
            /// The call that the host makes next.
            case asked
            /// A raw call or a table call that the host has not made yet. So the answer is in the ring before the call.
            case nextRaw, nextCall
            /// No new answer begins. More pieces of the last answer follow.
            case going
            /// An answer to a call with this number. The call may not exist.
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
        // The number of pieces is the right one, or is too low or too high.
        let lie = script.byte()
        let count = lie < 0x80 ? min(honest, 4) : Int(lie & 3)
        answer.places = (0..<count).map { _ in place(&script) }
        return .large(answer)
    }

    private static func place(_ script: inout Script) -> UInt16 {
        let choice = script.byte()
        return choice < 0xF8 ? UInt16(choice) % UInt16(Bench.places) : choice < 0xFE ? UInt16(choice & 7) : .max
    }

    /// In most cases, the length is acceptable, with one, two or three pieces.
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
