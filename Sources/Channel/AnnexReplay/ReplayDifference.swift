internal import AnnexChannel

/// The first thing that an extension did otherwise than recorded.
package struct ReplayDifference: Sendable, Hashable, CustomStringConvertible {
    /// Which of the recorded messages, counted from 1; 0: none of them.
    package let message: Int
    /// What the recorded message is: `reply to call 3 (method 7)`.
    package let subject: String
    package let what: String

    package var description: String {
        message == 0 ? what : "message \(message), \(subject): \(what)"
    }
}

extension RecordedFrame {
    /// What it is, for people.
    package var subject: String {
        switch FrameKind(rawValue: kind) {
        case .reply, .failure: "\(kindName) to call \(call) (method \(method))"
        case .request, .cancel: "\(kindName) \(call) (method \(method))"
        default: "\(kindName) (method \(method))"
        }
    }

    func difference(_ message: Int, _ what: String) -> ReplayDifference {
        ReplayDifference(message: message, subject: subject, what: what)
    }

    /// How other bytes differ from the payload, as far as it was kept.
    func difference(_ message: Int, from other: [UInt8]) -> ReplayDifference? {
        Self.difference(payload, UInt64(length), from: other, "").map { difference(message, $0) }
    }

    /// How other pieces of sealed memory differ from what was handed over, as far as it was kept.
    func difference(_ message: Int, from other: [SealedBytes]) -> ReplayDifference? {
        guard other.count == Int(descriptors) else {
            return difference(message, "\(other.count) pieces of sealed memory, recorded \(descriptors)")
        }
        for (index, (piece, found)) in zip(pieces, other).enumerated() {
            let start = found.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0.prefix(piece.contents.count)) }
            }
            let what = Self.difference(
                piece.contents, piece.size, from: start, of: UInt64(found.count), "piece \(index + 1): ")
            if let what { return difference(message, what) }
        }
        return nil
    }

    /// - Parameters:
    ///   - kept: the first of `length` recorded bytes.
    ///   - other: the first of `otherLength` bytes; all of them unless said.
    private static func difference(
        _ kept: [UInt8], _ length: UInt64, from other: [UInt8], of otherLength: UInt64? = nil, _ place: String
    ) -> String? {
        for (index, (recorded, found)) in zip(kept, other).enumerated() where recorded != found {
            return "\(place)byte \(index) is \(found), recorded \(recorded)"
        }
        let otherLength = otherLength ?? UInt64(other.count)
        return otherLength == length ? nil : "\(place)\(otherLength) bytes, recorded \(length)"
    }
}
