import AnnexLinux
import Glibc

@testable import AnnexChannel

/// One act of a peer.
enum PeerAct {
    case hello(WireFeatures)
    /// A frame after the last one, published as an honest writer does it. Its header states `length`.
    case frame(FrameBytes)
    /// Writes bytes anywhere in the peer's region.
    case bytes(offset: Int, [UInt8])
    case word(offset: Int, UInt32)
    /// A message on the control socket.
    case control([UInt8])
    case handOver(call: UInt64, claimed: UInt32, [Piece])
    /// Answers the host's next request of any kind.
    case answer(AnswerKind, [UInt8], [Piece], isHonest: Bool)
    /// A call or a stream of the peer, each with the next number.
    case ask(method: UInt16, [UInt8])
    case open(window: UInt32, [UInt8])
    /// A frame of one of the known streams: a message, the owed credit, or an end.
    case stream(kind: UInt8, number: Int, [UInt8])
    /// Begins an answer in pieces, continues it, or both.
    case large(LargeAnswer)
    /// Writes to a place of the peer's arena.
    case fill(place: Int, UInt8)
    /// Claims to have read this many bytes of the host's ring.
    case read(UInt32)
    /// Claims to have read all bytes, with the true number.
    case readAll
    case close

    struct FrameBytes {
        var kind: UInt8
        var second: UInt8
        var method: UInt16
        var length: UInt32
        var call: UInt64
        var payload: [UInt8]
    }

    /// The kind of memory or file that is handed over.
    enum Piece: CaseIterable {
        case sealed, unsealed, holes, empty, pipe, socket, null
    }

    enum AnswerKind: CaseIterable {
        case reply, failure, pong, cancel
    }

    /// In most cases, the act is one that an honest peer could do too, because an act that breaks a rule ends the run.
    init(_ script: inout Script) {
        switch script.byte() {
        case ..<20: self = .frame(Self.frame(&script))
        case ..<45: self = Self.large(&script)
        case ..<105:
            let kind = script.one(of: [AnswerKind.reply, .reply, .reply, .failure, .pong, .cancel])
            let mayLie = script.byte() < 16
            let pieces = Self.pieces(&script)
            self = .answer(kind, Self.payload(&script), pieces, isHonest: !mayLie)
        case ..<128: self = .ask(method: UInt16(script.number(below: 3)), Self.payload(&script))
        case ..<145: self = .open(window: script.one(of: [1024, 2048, 65536, 1023]), script.take(3))
        case ..<200:
            let kind = script.one(of: [10, 10, 10, 11, 11, 11, 12, 13] as [UInt8])
            self = .stream(kind: kind, number: script.number(below: 4), script.take(script.number(below: 60)))
        case ..<240: self = Self.beside(&script)
        case ..<252: self = .readAll
        case ..<253: self = .read(Self.value(&script))
        case ..<254: self = .hello(.own)
        default: self = .close
        }
    }

    /// Acts that do not send frames through the ring.
    private static func beside(_ script: inout Script) -> PeerAct {
        switch script.number(below: 8) {
        case 0:
            let offset = Int(script.word() % UInt32(RegionLayout.size(capacity: Bench.capacity)))
            let count = script.number(below: 33)
            return .bytes(offset: offset, script.take(count))
        case 1:
            let offset = script.one(
                of: [RegionLayout.consumed, RegionLayout.receiver, RegionLayout.sender, RegionLayout.processor])
            return .word(offset: offset, value(&script))
        case 2:
            let count = script.number(below: 20)
            return .control(script.take(count))
        case 3, 4:
            let call = call(&script)
            let pieces = pieces(&script)
            return .handOver(call: call, claimed: UInt32(pieces.count) &+ UInt32(script.number(below: 8) / 7), pieces)
        default: return .control(WireFormat.doorbell)
        }
    }

    private static func frame(_ script: inout Script) -> FrameBytes {
        let kind = script.byte()
        let second = script.byte()
        let payload = payload(&script)
        // Now and then, the header states a false length.
        let lie = script.byte()
        return FrameBytes(
            kind: Self.kindByte(kind), second: second < 0x80 ? 0 : second & 0xE1,
            method: UInt16(script.number(below: 3)), length: lie < 0xF0 ? UInt32(payload.count) : script.word(),
            call: call(&script), payload: payload)
    }

    /// A number of a call or stream. It often belongs to an open call or stream, and sometimes not.
    private static func call(_ script: inout Script) -> UInt64 {
        let choice = script.byte()
        switch choice {
        case 0xF0...: return UInt64(script.word()) << 32 | UInt64(script.word())
        case 0x80...: return 1 << 63 | UInt64(choice & 7)
        default: return UInt64(choice & 15)
        }
    }

    /// In most cases, the kind is known. Its marks of the place may have any value.
    private static func kindByte(_ choice: UInt8) -> UInt8 {
        choice < 0x80 ? choice % 16 : choice < 0xE0 ? choice % 16 | ((choice >> 5 & 3) + 1) << 6 : choice
    }

    private static func value(_ script: inout Script) -> UInt32 {
        let choice = script.byte()
        return choice < 0xC0 ? UInt32(choice) * 64 : choice < 0xE0 ? UInt32(choice & 7) : script.word()
    }

    private static func payload(_ script: inout Script) -> [UInt8] {
        switch script.number(below: 9) {
        case 0: return []
        // The bytes for a stream's credit, its opening, or a failure's code.
        case 1:
            return WireBytes.bytes(script.one(of: [16, 1024, 2048, 65536, 1 << 28, .max] as [UInt32])) + script.take(2)
        case 2: return WireBytes.bytes(script.word())
        // The bytes for a request with its terms.
        case 3:
            return WireBytes.bytes(script.one(of: [0, 1, 1 << 40, .max] as [UInt64])) + [UInt8](repeating: 0, count: 16)
                + script.take(4)
        case 4:
            let count = script.number(below: 40)
            return script.take(count)
        case 5: return [UInt8](repeating: script.byte(), count: script.number(below: 256) * 8)
        case 6: return [UInt8](repeating: 1, count: Int(WireFormat.largestPayload(capacity: Bench.capacity)))
        case 7: return WireBytes.bytes(length(&script)) + WireBytes.bytes(kind(&script))
        default: return [0, 0, 1, 0, 0, 0, script.byte()]
        }
    }

    private static func pieces(_ script: inout Script) -> [Piece] {
        let count = script.byte()
        guard count >= 0xA0 else { return [] }
        return (0..<Int(count & 3)).map { _ in script.one(of: Piece.allCases) }
    }
}
