package import AnnexLinux

/// A request from the host to its extension.
public struct Request: ~Copyable, Sendable {
    /// The method to call; the caller's own numbering. The answer repeats it.
    public var method: UInt16
    /// The request's bytes, at most the endpoint's `largestPayload`. Hand bulk data over as a file or sealed memory.
    public var payload: [UInt8]
    /// Descriptors to hand over, at most 16. This side's copies are closed after they were sent.
    package var descriptors: DescriptorList
    /// The descriptors that the answer may hand over.
    public var accepts: DescriptorAllowance
    /// The most bytes of the answer; nil: as many as one frame of the extension's ring carries. A larger answer fails
    /// the call with `CallFailure.payloadTooLarge` before the host allocates memory for it. The channel's
    /// `largestMessage` limits every answer.
    public var mostReply: Int?

    /// - Parameters:
    ///   - grants: files and memory to hand over; at most `Grants.most`.
    ///   - mostReply: the most bytes of the answer; nil: one frame.
    public init(
        method: UInt16, payload: [UInt8] = [], granting grants: consuming Grants = Grants(),
        accepts: DescriptorAllowance = .none, mostReply: Int? = nil
    ) {
        self.init(
            method: method, payload: payload, descriptors: grants.takeDescriptors(), accepts: accepts,
            mostReply: mostReply)
    }

    /// For callers in this package, which have checked the descriptors themselves.
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

    /// Whether request and answer consist of bytes alone.
    var isBare: Bool { descriptors.isEmpty && accepts == .none }
}

/// An extension's answer.
public struct Reply: Sendable {
    /// The answer's bytes, copied. They come from untrusted code; only their number is checked.
    public let payload: [UInt8]
    /// Memory that the extension handed over. It cannot change any more, and its size is within the call's allowance.
    public let sealed: [SealedBytes]
}

/// The longest wait of a caller, without sending it to the extension. It is kept in nanoseconds, because converting a
/// `Duration` takes a noticeable part of a call.
public struct CallPatience: Sendable, Hashable {
    let nanoseconds: UInt64

    /// - Parameter duration: less than zero counts as zero.
    public init(_ duration: Duration) {
        nanoseconds = MonotonicClock.nanoseconds(duration)
    }
}
