import AnnexLinux
import Glibc
import Synchronization

@testable import AnnexChannel

/// A peer that follows no rules. It uses the bench's memory.
final class FakePeer: Sendable {
    struct State: ~Copyable {
        var control: Descriptor?
        /// The position of the peer's next frame.
        var position: UInt32 = 0
        /// The position up to which the peer has read the host's ring.
        var read: UInt32 = 0
        var lastCall: UInt64 = 0
        var lastStream: UInt64 = 0
        /// The open streams, and the credit that is owed on each.
        var streams: [(id: UInt64, owed: UInt32)] = []
        /// A message in pieces that the host has begun, and the number of bytes that are still missing.
        var coming: (asked: Asked, left: UInt32)?
        /// The last answer in pieces that the peer has begun.
        var going: UInt64 = 1
        /// The last calls of the host that the peer has read, one for each kind.
        var lastAsked: UInt64 = 0
        var lastRaw: UInt64 = 1 << 63
    }

    let bench: Bench
    private let state: Mutex<State>

    init(_ bench: Bench, control: consuming Descriptor) {
        self.bench = bench
        state = Mutex(State(control: control))
    }

    /// - Parameter patience: how often the peer looks for a request to answer.
    func perform(_ act: PeerAct, patience: Int = 0) {
        state.withLock { state in
            switch act {
            case .hello(let features):
                let payload =
                    WireBytes.bytes(WireFormat.magic) + WireBytes.bytes(WireFormat.version)
                    + WireBytes.bytes(features.rawValue)
                show(Self.frame(1, payload), &state)
            case .frame(let frame): show(frame, &state)
            case .stream(let kind, let number, let payload): stream(kind, number, payload, &state)
            case .ask(let method, let payload):
                state.lastCall += 1
                var frame = Self.frame(
                    2, WireBytes.bytes(UInt64.max) + [UInt8](repeating: 0, count: 16) + payload.prefix(1000),
                    call: state.lastCall)
                frame.method = method
                show(frame, &state)
            case .open(let window, let arguments):
                state.lastStream += 2
                state.streams.append((state.lastStream, 0))
                show(Self.frame(9, WireBytes.bytes(window) + arguments, call: state.lastStream), &state)
            case .bytes(let offset, let bytes): store(bytes, at: offset)
            case .word(let offset, let value): word(offset).storeRelease(value)
            case .control(let bytes): send(bytes, [], &state)
            case .handOver(let call, let claimed, let pieces):
                send(DescriptorTag(call: call, count: claimed).encoded(), pieces, &state)
            case .answer(let kind, let payload, let pieces, let isHonest):
                for _ in 0..<patience where !isHeld(state) { sched_yield() }
                answer(kind, payload, pieces, isHonest: isHonest, &state)
            case .large(let large):
                for _ in 0..<patience where !isHeld(state) { sched_yield() }
                answer(large, &state)
            case .fill(let place, let byte): fill(place, with: byte)
            case .readAll: passAll(&state)
            case .read(let position): word(RegionLayout.consumed).storeRelease(position)
            case .close: state.control = nil
            }
        }
    }

    static func frame(_ kind: UInt8, _ payload: [UInt8], call: UInt64 = 0) -> PeerAct.FrameBytes {
        PeerAct.FrameBytes(
            kind: kind, second: 0, method: 0, length: UInt32(payload.count), call: call, payload: payload)
    }

    /// Writes like an honest writer, but does not wait for room.
    func show(_ frame: PeerAct.FrameBytes, _ state: inout State) {
        let start = Int(state.position)
        let end = WireFormat.frameSize(payload: UInt32(frame.payload.count)) &+ state.position
        state.position = WireFormat.next(after: end, turns: frame.second & 0x80 != 0, capacity: Bench.capacity)
        ring([UInt8](repeating: 0, count: 8), at: Int(state.position))
        ring(WireBytes.bytes(frame.call) + frame.payload, at: start + 8)
        let first =
            UInt64(frame.kind) | UInt64(frame.second) << 8 | UInt64(frame.method) << 16 | UInt64(frame.length) << 32
        bench.extensionMapping.start.storeBytes(
            of: first, toByteOffset: RegionLayout.ring + start & Int(Bench.capacity - 1), as: UInt64.self)
        word(RegionLayout.ring + start & Int(Bench.capacity - 1)).wake()
    }

    private func stream(_ kind: UInt8, _ number: Int, _ payload: [UInt8], _ state: inout State) {
        passAll(&state)
        guard !state.streams.isEmpty else { return }
        let index = number % state.streams.count
        let (id, owed) = state.streams[index]
        var bytes = payload
        switch kind {
        case 11:
            guard owed >= 16 else { return }
            bytes = WireBytes.bytes(owed)
            state.streams[index].owed = 0
        case 12: bytes = []
        case 13: bytes = WireBytes.bytes(UInt32(7)) + payload
        default: break
        }
        if kind > 11 { state.streams.remove(at: index) }
        show(Self.frame(kind, bytes, call: id), &state)
    }

    /// Answers the next request. Other frames are skipped.
    private func answer(
        _ kind: PeerAct.AnswerKind, _ payload: [UInt8], _ pieces: [PeerAct.Piece], isHonest: Bool, _ state: inout State
    ) {
        for _ in 0..<Self.mostFrames {
            guard let asked = pass(&state) else { return }
            guard !isHonest || asked.kind == 2 || asked.kind == 7 else { continue }
            let pieces = isHonest ? Array(pieces.prefix(asked.pieces)) : pieces
            if !pieces.isEmpty {
                send(DescriptorTag(call: asked.call, count: UInt32(pieces.count)).encoded(), pieces, &state)
            }
            let known: UInt8 = asked.kind == 7 ? 8 : [PeerAct.AnswerKind.reply: 3, .failure: 4, .pong: 8][kind] ?? 5
            var frame = Self.frame(isHonest && known != 8 ? max(known % 5, 3) : known, payload, call: asked.call)
            frame.method = asked.method
            frame.second = UInt8(pieces.count)
            return show(frame, &state)
        }
    }

    struct Asked {
        let kind: UInt8
        let method: UInt16
        let call: UInt64
        /// The number of pieces that the answer may have.
        let pieces: Int
    }

    private func isHeld(_ state: borrowing State) -> Bool { place(state.read).load(as: UInt64.self) != 0 }

    private func place(_ position: UInt32) -> UnsafeMutableRawPointer {
        bench.hostMapping.start + RegionLayout.ring + Int(position & (Bench.capacity - 1))
    }

    /// The most frames that a ring holds. If a peer claims to have read more than it has, it then reads bytes that are
    /// not frames. This limit ends that reading.
    static let mostFrames = Int(Bench.capacity / WireFormat.alignment)

    func passAll(_ state: inout State) {
        for _ in 0..<Self.mostFrames where pass(&state) == nil { return }
    }

    /// Takes the next frame of the host, and publishes the position; nil if there is no frame.
    func pass(_ state: inout State) -> Asked? {
        let place = place(state.read)
        let first = place.load(as: UInt64.self)
        guard first != 0 else { return nil }
        let length = min(UInt32(truncatingIfNeeded: first >> 32), Bench.capacity / 2)
        let kind = UInt8(truncatingIfNeeded: first)
        let call = place.load(fromByteOffset: 8, as: UInt64.self)
        if kind == 9 { state.streams.append((call, 1024)) }
        if kind == 10, let index = state.streams.firstIndex(where: { $0.id == call }) {
            state.streams[index].owed &+= length &+ 16
        }
        let pieces = kind == 2 && first & 0x4000 == 0 ? self.place(state.read &+ 32).load(as: UInt64.self) : 0
        let said = self.place(state.read &+ 16).load(as: UInt64.self)
        var asked = Asked(
            kind: kind, method: UInt16(truncatingIfNeeded: first >> 16),
            call: call, pieces: Int(min(pieces, 16)))
        note(&asked, said, &state)
        let end = state.read &+ WireFormat.frameSize(payload: length)
        state.read = WireFormat.next(after: end, turns: first & 0x8000 != 0, capacity: Bench.capacity)
        word(RegionLayout.consumed).storeRelease(state.read)
        return asked
    }

    private func send(_ bytes: [UInt8], _ pieces: [PeerAct.Piece], _ state: inout State) {
        guard let control = state.control.take() else { return }
        let socket = ControlSocket(owning: control)
        var list = DescriptorList()
        for piece in pieces { if let descriptor = try? bench.make(piece) { list.append(descriptor) } }
        try? socket.send(bytes, list)
        state.control = try? socket.descriptor.duplicate()
    }

    private func store(_ bytes: [UInt8], at offset: Int) {
        for (index, byte) in bytes.enumerated() where offset + index < bench.extensionMapping.size {
            bench.extensionMapping.start.storeBytes(of: byte, toByteOffset: offset + index, as: UInt8.self)
        }
    }

    private func ring(_ bytes: [UInt8], at position: Int) {
        for (index, byte) in bytes.enumerated() {
            let offset = (position + index) & Int(Bench.capacity - 1)
            bench.extensionMapping.start.storeBytes(of: byte, toByteOffset: RegionLayout.ring + offset, as: UInt8.self)
        }
    }

    private func word(_ offset: Int) -> WritableWord {
        WritableWord((bench.extensionMapping.start + offset).assumingMemoryBound(to: UInt32.self))
    }
}
