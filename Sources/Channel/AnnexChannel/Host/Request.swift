package import AnnexLinux

/// What a host asks.
public struct Request: ~Copyable, Sendable {
    /// What is asked; the caller's own numbering. The answer repeats it.
    public var method: UInt16
    /// At most the endpoint's `largestPayload`. Bulk goes as a descriptor.
    public var payload: [UInt8]
    /// Handed over with the request, at most 16; this side's copies are closed once they are sent.
    package var descriptors: DescriptorList
    /// What the answer may hand over.
    public var accepts: DescriptorAllowance
    /// The most bytes of the answer; nil: as many as one frame of the extension's carries. An answer that begins with
    /// more is refused before the host takes memory for it, and the call fails with `CallFailure.payloadTooLarge`. No
    /// answer has more than the channel's `largestMessage`.
    public var mostReply: Int?

    /// - Parameters:
    ///   - grants: what the extension gets besides; at most `Grants.most` pieces.
    ///   - mostReply: the most bytes of the answer; nil: one frame.
    public init(
        method: UInt16, payload: [UInt8] = [], granting grants: consuming Grants = Grants(),
        accepts: DescriptorAllowance = .none, mostReply: Int? = nil
    ) {
        self.init(
            method: method, payload: payload, descriptors: grants.takeDescriptors(), accepts: accepts,
            mostReply: mostReply)
    }

    /// For those who have checked what they hand over.
    package init(
        method: UInt16, payload: [UInt8] = [], descriptors: consuming DescriptorList,
        accepts: DescriptorAllowance = .none, mostReply: Int? = nil
    ) {
        self.method = method
        self.payload = payload
        self.descriptors = descriptors
        self.accepts = accepts
        self.mostReply = mostReply
    }

    /// Whether nothing but bytes goes either way.
    var isBare: Bool { descriptors.isEmpty && accepts == .none }
}

/// An extension's answer.
public struct Reply: Sendable {
    /// The extension's bytes, copied; nothing is known about them but their number.
    public let payload: [UInt8]
    /// Memory that the extension handed over: it cannot change any more, and its size is within the call's allowance.
    public let sealed: [SealedBytes]
}

/// How long a caller waits at most without telling the extension so. Kept in nanoseconds: turning a `Duration` into them
/// costs a noticeable part of a call.
public struct CallPatience: Sendable, Hashable {
    let nanoseconds: UInt64

    /// - Parameter duration: less than zero counts as zero.
    public init(_ duration: Duration) {
        nanoseconds = MonotonicClock.nanoseconds(duration)
    }
}
