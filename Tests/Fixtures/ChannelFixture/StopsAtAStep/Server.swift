import AnnexLinux
import Glibc

/// Answers the host's requests, one step after another.
final class Server {
    /// A frame from the host.
    struct Frame {
        let kind: UInt8
        let method: UInt16
        let call: UInt64
        let isBare: Bool
        let payload: [UInt8]
    }

    private let ring: Ring
    private let steps: Steps
    private var position = 0
    private var read = 0
    private var asked: UInt64 = 0
    private var rung: UInt32 = 0

    init(_ ring: Ring, _ steps: Steps) {
        self.ring = ring
        self.steps = steps
    }

    func run() throws {
        steps.step()
        // The payload is the magic number, the version, and the features. The features state that the extension calls
        // its host and accepts streams.
        publish(1, bytes(0x4358_4E41 as UInt32) + bytes(2 as UInt32) + bytes(3 << 32 as UInt64))
        while true {
            let frame = next()
            if frame.kind == 6, frame.method == 2 { return }
            try handle(frame)
        }
    }

    private func handle(_ frame: Frame) throws {
        switch (frame.kind, frame.method) {
        case (2, 2): try handOver(frame)
        case (2, 3):
            callHost()
            answer(frame)
        // No caller ever receives an answer to this request.
        case (2, 7): break
        case (2, _): answer(frame)
        case (7, _): publish(8, [], method: frame.method, call: frame.call)
        case (9, _):
            publish(11, bytes(4096 as UInt32), call: frame.call)
            publish(10, [1, 2, 3], call: frame.call)
        case (10, _): publish(11, bytes(UInt32(frame.payload.count + 16)), call: frame.call)
        case (12, _): publish(12, [], call: frame.call)
        default: break
        }
    }

    private func answer(_ frame: Frame, descriptors: UInt8 = 0) {
        publish(
            3, frame.isBare ? frame.payload : Array(frame.payload.dropFirst(24)), second: descriptors,
            method: frame.method, call: frame.call)
    }

    private func handOver(_ frame: Frame) throws {
        let memory = try Descriptor.memfd("annex-step", size: 0)
        steps.step()
        try memory.writeAll([1, 2, 3])
        steps.step()
        try memory.addSeals(.immutable)
        steps.step()
        let tag = bytes(0x4446_4E41 as UInt32) + bytes(1 as UInt32) + bytes(frame.call)
        do throws(SystemError) {
            try ring.socket.send(tag, DescriptorList(memory), waiting: true)
        } catch {
            // No caller waits for this answer any more.
            guard error.errno == EPERM else { throw error }
            return answer(frame)
        }
        steps.step()
        answer(frame, descriptors: 1)
    }

    /// Makes a request and waits for the answer. Other frames that arrive before the answer are skipped.
    private func callHost() {
        asked += 1
        publish(2, bytes(UInt64.max) + [UInt8](repeating: 0, count: 16) + [9], method: 9, call: asked)
        while true {
            let frame = next()
            if frame.kind == 3 || frame.kind == 4, frame.call == asked { return }
        }
    }

    private func publish(_ kind: UInt8, _ payload: [UInt8], second: UInt8 = 0, method: UInt16 = 0, call: UInt64 = 0) {
        let start = ring.ownBytes(position)
        for (index, byte) in payload.enumerated() {
            if index % 16 == 0 { steps.step() }
            start.storeBytes(of: byte, toByteOffset: 16 + index, as: UInt8.self)
        }
        steps.step()
        start.storeBytes(of: call, toByteOffset: 8, as: UInt64.self)
        steps.step()
        // The word is stored last and in one access. This kind of processor keeps the order of stores, and the fence
        // makes the compiler keep the order.
        Processor.fence()
        let word = UInt64(kind) | UInt64(second) << 8 | UInt64(method) << 16 | UInt64(payload.count) << 32
        start.storeBytes(of: word, as: UInt64.self)
        Processor.fence()
        steps.step()
        let state = ring.hostWord(256).loadRelaxed()
        let place = position
        position += (16 + payload.count + 63) / 64 * 64
        if state == 1 { ring.ownHeader(place).wake() }
        steps.step()
        if state & 3 == 2, state != rung {
            rung = state
            try? ring.socket.send([1])
        }
        steps.step()
    }

    private func next() -> Frame {
        while ring.hostNumber(read) == 0 { sleep() }
        steps.step()
        let first = ring.hostNumber(read)
        let length = Int(first >> 32)
        let frame = Frame(
            kind: UInt8(truncatingIfNeeded: first), method: UInt16(truncatingIfNeeded: first >> 16),
            call: ring.hostNumber(read + 8), isBare: first & 0x4000 != 0,
            payload: (0..<length).map { ring.hostBytes(read + 16 + $0).load(as: UInt8.self) })
        steps.step()
        read = ring.next(after: read, length: length, turns: first & 0x8000 != 0)
        ring.word(128).storeRelease(UInt32(truncatingIfNeeded: read))
        Processor.fence()
        steps.step()
        if ring.hostWord(260).loadRelaxed() == 1 { ring.word(128).wake() }
        return frame
    }

    private func sleep() {
        steps.step()
        ring.word(256).storeRelaxed(1)
        Processor.fence()
        steps.step()
        if ring.hostNumber(read) == 0 { _ = ring.bed(read).wait(while: 0, until: nil) }
        steps.step()
        ring.word(256).storeRelaxed(0)
    }

    private func bytes<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
