import AnnexLinux
import Glibc

@testable import AnnexChannel

// Messages in pieces, from either side.
extension FakePeer {
    /// Begins an answer or continues it. It waits neither for room nor for a free place.
    func answer(_ answer: PeerAct.LargeAnswer, _ state: inout State) {
        switch answer.to {
        case .asked:
            guard let asked = nextRequest(&state) else { return }
            begin(answer, asked.call, asked.method, &state)
        case .nextRaw:
            passAll(&state)
            begin(answer, state.lastRaw &+ 1, answer.method, &state)
        case .nextCall:
            passAll(&state)
            begin(answer, state.lastAsked &+ 1, answer.method, &state)
        case .call(let call): begin(answer, call, answer.method, &state)
        case .going: break
        }
        for place in answer.places {
            var piece = Self.frame(15, [], call: state.going)
            piece.method = place
            show(piece, &state)
        }
    }

    private func begin(
        _ answer: PeerAct.LargeAnswer, _ call: UInt64, _ method: UInt16, _ state: inout State
    ) {
        var head = Self.frame(14, WireBytes.bytes(answer.length) + WireBytes.bytes(answer.kind), call: call)
        head.method = method
        state.going = call
        show(head, &state)
    }

    private func nextRequest(_ state: inout State) -> Asked? {
        for _ in 0..<Self.mostFrames {
            guard let asked = pass(&state) else { return nil }
            if asked.kind == 2 { return asked }
        }
        return nil
    }

    /// A request in pieces is complete with its last piece. Then this function records its call.
    /// - Parameter said: the first word of the frame's payload.
    func note(_ asked: inout Asked, _ said: UInt64, _ state: inout State) {
        if asked.kind == 14 {
            state.coming = (asked, UInt32(truncatingIfNeeded: said))
        } else if asked.kind == 15, let coming = state.coming {
            let left = coming.left &- min(coming.left, WireFormat.pieceSize)
            state.coming = left == 0 ? nil : (coming.asked, left)
            if left == 0 { asked = Asked(kind: 2, method: coming.asked.method, call: coming.asked.call, pieces: 0) }
        }
        guard asked.kind == 2 || asked.kind == 14 || asked.kind == 7 else { return }
        if RawCalls.isRaw(asked.call) { state.lastRaw = asked.call } else { state.lastAsked = asked.call }
    }

    func fill(_ place: Int, with byte: UInt8) {
        let start = bench.extensionMapping.start + RegionLayout.size(capacity: Bench.capacity) + place * Bench.piece
        memset(start, Int32(byte), Bench.piece)
    }
}
