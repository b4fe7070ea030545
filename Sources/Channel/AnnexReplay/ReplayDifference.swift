internal import AnnexChannel

/// The first difference between an extension's behaviour and the recording.
package struct ReplayDifference: Sendable, Hashable, CustomStringConvertible {
    /// The number of the recorded message, counted from 1; 0 if the recording has no such message.
    package let message: Int
    /// A description of the recorded message, for example `reply to call 3 (method 7)`.
    package let subject: String
    package let what: String

    package var description: String {
        message == 0 ? what : "message \(message), \(subject): \(what)"
    }
}

extension RecordedFrame {
    /// A description of the message for people.
    package var subject: String {
        switch FrameKind(rawValue: kind) {
        case .reply, .failure: "\(kindName) to call \(call) (method \(method))"
        case .request, .cancel: "\(kindName) \(call) (method \(method))"
        default: "\(kindName) (method \(method))"
        }
    }

    func difference(_ message: Int, what: String) -> ReplayDifference {
        ReplayDifference(message: message, subject: subject, what: what)
    }

    /// How `other` differs from the part of the payload that the recorder kept; nil if there is no difference.
    func difference(_ message: Int, from other: [UInt8]) -> ReplayDifference? {
        Self.difference(payload, length: UInt64(length), from: other, place: "").map { difference(message, what: $0) }
    }

    /// How the sealed memory in `other` differs from the recorded pieces, as far as the recorder kept them; nil if
    /// there is no difference.
    func difference(_ message: Int, from other: [SealedBytes]) -> ReplayDifference? {
        guard other.count == Int(descriptors) else {
            return difference(
                message, what: "\(other.count) pieces of sealed memory, but the recording has \(descriptors)")
        }
        for (index, (piece, found)) in zip(pieces, other).enumerated() {
            let start = found.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0.prefix(piece.contents.count)) }
            }
            let what = Self.difference(
                piece.contents, length: piece.size, from: start, of: UInt64(found.count), place: "piece \(index + 1): ")
            if let what { return difference(message, what: what) }
        }
        return nil
    }

    /// - Parameters:
    ///   - kept: the bytes that the recorder kept. They are the first of `length` bytes.
    ///   - other: the bytes to compare. They are the first of `otherLength` bytes, or all bytes if `otherLength` is
    ///     nil.
    private static func difference(
        _ kept: [UInt8], length: UInt64, from other: [UInt8], of otherLength: UInt64? = nil, place: String
    ) -> String? {
        for (index, (recorded, found)) in zip(kept, other).enumerated() where recorded != found {
            return "\(place)byte \(index) is \(found), but the recording has \(recorded)"
        }
        let otherLength = otherLength ?? UInt64(other.count)
        return otherLength == length ? nil : "\(place)\(otherLength) bytes, but the recording has \(length)"
    }
}
