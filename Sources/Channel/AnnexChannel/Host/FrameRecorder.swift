internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// Observes each message of a channel. The methods run under the channel's locks, so they copy what they need and must
/// not call the channel.
protocol FrameTap: AnyObject, Sendable {
    /// Records a message that is about to be published. Because the message is recorded before it is published, no
    /// answer is recorded before its request.
    /// - Parameter handedOver: the numbers of the descriptors that were sent before the message.
    func record(
        sent header: FrameHeader, terms: RequestTerms?, payload: UnsafeRawBufferPointer, handedOver: [Int32])
    /// Records a message that consists of its header only.
    func record(sent header: FrameHeader)
    /// Records a message that was read from the ring.
    func record(received frame: Frame)
    /// Records the sealed memory that came with an answer. The memory has been checked already.
    func record(received pieces: [SealedBytes], call: UInt64)
    /// Ends the recording, because the channel is closed.
    func end(_ reason: String)
}

/// Writes the messages of one channel to a file. Each message is written when it is sent or read. If the host dies, the
/// messages written so far remain.
///
/// An error while writing ends only the recording.
final class FrameRecorder: FrameTap {
    private struct State: ~Copyable {
        var file: Descriptor?
        var written: UInt64 = 0
    }

    private let plan: ChannelRecording
    private let began = MonotonicClock.now()
    private let state: Mutex<State>

    /// Creates the file. The file must not exist yet.
    init(_ plan: ChannelRecording, configuration: ChannelConfiguration) throws(SystemError) {
        self.plan = plan.bounded
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        state = Mutex(State(file: try Descriptor.open(plan.path, flags, mode: 0o600)))
        state.withLock { write(header(configuration), to: &$0) }
    }

    func record(
        sent header: FrameHeader, terms: RequestTerms?, payload: UnsafeRawBufferPointer, handedOver: [Int32]
    ) {
        append(entry(sent: header, terms: terms, payload: unsafe [UInt8](payload)))
        for number in handedOver { recordPiece(number, call: header.call, direction: .toExtension) }
    }

    func record(sent header: FrameHeader) {
        append(entry(sent: header, terms: nil, payload: []))
    }

    func record(received frame: Frame) {
        append(
            entry(
                .toHost, kind: frame.kind, descriptors: frame.descriptors, method: frame.method, call: frame.call,
                terms: frame.terms,
                payload: frame.payload))
    }

    func record(received pieces: [SealedBytes], call: UInt64) {
        for piece in pieces { recordPiece(piece.descriptor.number, call: call, direction: .toHost) }
    }

    func end(_ reason: String) {
        let record = end(.channelEnded, text: reason)
        state.withLock { state in
            write(stamped(record), to: &state)
            state.file = nil
        }
    }

    private func recordPiece(_ number: Int32, call: UInt64, direction: RecordingFormat.Direction) {
        // The caller owns the descriptor. So this method releases it below without closing it.
        let file = Descriptor(owning: number)
        let size = (try? file.status().size) ?? 0
        let kept = min(Int(clamping: size), Int(plan.mostHandedOverBytes))
        let contents = (try? file.read(at: 0, count: kept)) ?? []
        _ = file.release()
        append(entry(piece: UInt64(clamping: size), contents: contents, call: call, direction: direction))
    }

    private func append(_ record: [UInt8]) {
        state.withLock { state in
            let record = stamped(record)
            let room = plan.mostBytes &- min(plan.mostBytes, state.written)
            if UInt64(record.count) &+ RecordingFormat.roomForEnd <= room {
                write(record, to: &state)
            } else if state.file != nil {
                write(
                    stamped(end(.fileFull, text: "the recording has reached its limit of \(plan.mostBytes) bytes")),
                    to: &state)
                state.file = nil
            }
        }
    }

    /// Adds the record's time. The time is read under the lock, so no record has an earlier time than the record before
    /// it.
    private func stamped(_ record: [UInt8]) -> [UInt8] {
        record.prefix(8) + WireBytes.bytes(MonotonicClock.now() &- began) + record.dropFirst(8)
    }

    private func write(_ record: [UInt8], to state: inout State) {
        guard state.file != nil else { return }
        do throws(SystemError) {
            try state.file?.writeAll(record)
            state.written &+= UInt64(record.count)
        } catch {
            // All records so far are complete, except perhaps the last. The error ends only the recording, because a
            // failed recording must not harm the channel's users.
            state.file = nil
        }
    }
}

extension ChannelRecording {
    /// Limits the bytes kept of each message to the file's limit and to the largest length that a record can state.
    fileprivate var bounded: ChannelRecording {
        let most = min(UInt32(clamping: mostBytes), RecordingFormat.mostKept)
        var plan = self
        plan.mostPayloadBytes = min(plan.mostPayloadBytes, most)
        plan.mostHandedOverBytes = min(plan.mostHandedOverBytes, most)
        return plan
    }
}

// Encoding of the records.
extension FrameRecorder {
    private func header(_ configuration: ChannelConfiguration) -> [UInt8] {
        var time = timespec()
        // SAFETY: the call writes one timespec.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        let label = Array(configuration.label.utf8.prefix(Int(RecordingFormat.longestLabel)))
        return RecordingFormat.mark + WireBytes.bytes(RecordingFormat.version) + WireBytes.bytes(WireFormat.version)
            + WireBytes.bytes(UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
            + WireBytes.bytes(configuration.hostCapacity) + WireBytes.bytes(configuration.extensionCapacity)
            + WireBytes.bytes(plan.mostPayloadBytes) + WireBytes.bytes(plan.mostHandedOverBytes)
            + WireBytes.bytes(UInt32(label.count)) + label
    }

    private func entry(sent header: FrameHeader, terms: RequestTerms?, payload: [UInt8]) -> [UInt8] {
        entry(
            .toExtension, kind: header.kind, descriptors: header.descriptors, method: header.method, call: header.call,
            terms: terms ?? RequestTerms(),
            payload: payload)
    }

    private func entry(
        _ direction: RecordingFormat.Direction, kind: FrameKind, descriptors: UInt8, method: UInt16,
        call: UInt64,
        terms: RequestTerms, payload: [UInt8]
    ) -> [UInt8] {
        let fixed =
            [kind.rawValue, descriptors] + WireBytes.bytes(method) + WireBytes.bytes(UInt32(clamping: payload.count))
            + WireBytes.bytes(call) + WireBytes.bytes(terms.limit) + WireBytes.bytes(terms.mostBytes)
            + WireBytes.bytes(terms.mostPieces)
        return entry(.frame, direction: direction, fixed: fixed, rest: payload.prefix(Int(plan.mostPayloadBytes)))
    }

    private func entry(
        piece size: UInt64, contents: [UInt8], call: UInt64, direction: RecordingFormat.Direction
    ) -> [UInt8] {
        entry(.piece, direction: direction, fixed: WireBytes.bytes(call) + WireBytes.bytes(size), rest: contents[...])
    }

    private func end(_ cause: RecordingFormat.EndCause, text: String) -> [UInt8] {
        // The text is cut so that the record fits into `roomForEnd`.
        entry(
            .end, direction: .toExtension, fixed: WireBytes.bytes(cause.rawValue),
            rest: Array(text.utf8.prefix(128))[...])
    }

    /// A record without its time, which `stamped` adds.
    private func entry(
        _ type: RecordingFormat.RecordType, direction: RecordingFormat.Direction, fixed: [UInt8],
        rest: ArraySlice<UInt8>
    ) -> [UInt8] {
        let length = RecordingFormat.recordHead &+ UInt32(fixed.count &+ rest.count)
        return WireBytes.bytes(length) + [type.rawValue, direction.rawValue, 0, 0] + fixed + rest
    }
}

/// Constants of a recording's file. `Docs/Reference/Wire.md` describes the format.
package enum RecordingFormat {
    package static let mark: [UInt8] = Array("ANNEXREC".utf8)
    package static let version: UInt32 = 1
    /// The most bytes of a label.
    package static let longestLabel: UInt32 = 255
    /// The number of bytes of every record's fixed part after the length field.
    static let recordHead: UInt32 = 12
    /// The most bytes of a message or of handed-over memory that one record keeps.
    static let mostKept: UInt32 = 1 << 30
    /// The bytes reserved for the record that states why the recording ends.
    static let roomForEnd: UInt64 = 256

    package enum RecordType: UInt8 {
        case frame = 1
        case piece = 2
        case end = 3
    }

    package enum Direction: UInt8, Sendable, Hashable {
        case toExtension = 0
        case toHost = 1
    }

    /// Why the recording ends.
    package enum EndCause: UInt32, Sendable {
        case channelEnded = 0
        case fileFull = 1
    }
}
