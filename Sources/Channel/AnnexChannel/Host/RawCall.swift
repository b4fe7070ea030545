internal import AnnexLinux

/// A call of bare bytes while its caller leads. The pointers are the caller's own and outlive it.
@safe struct RawCall {
    let method: UInt16
    let payload: UnsafeRawBufferPointer
    let reply: UnsafeMutableRawBufferPointer
    /// Nanoseconds that the caller waits at most, as it tells the extension.
    let limit: UInt64?
    /// Nanoseconds that it waits at most.
    let patience: UInt64?

    // SAFETY: the caller's own, as the pointers are. Not counted: this value is copied on the way of every call.
    /// Takes an answer that is longer than there is room for; nil: nobody does.
    private let unsized: Unmanaged<CallWorkspace>?

    var workspace: CallWorkspace? { unsafe unsized?.takeUnretainedValue() }

    init(
        method: UInt16, payload: UnsafeRawBufferPointer, reply: UnsafeMutableRawBufferPointer, limit: UInt64?,
        patience: UInt64?, workspace: CallWorkspace? = nil
    ) {
        self.method = method
        unsafe self.payload = payload
        unsafe self.reply = reply
        self.limit = limit
        self.patience = patience
        unsafe unsized = workspace.map { unsafe Unmanaged.passUnretained($0) }
    }

    /// When its caller gives up that begins to wait now; nil: never.
    func deadline() -> UInt64? { RawCall.deadline(after: patience) }

    static func deadline(after patience: UInt64?) -> UInt64? {
        patience.map { MonotonicClock.deadline(after: .nanoseconds(Int64(clamping: $0))) }
    }

    /// The most bytes of an answer.
    var room: Int { unsafe reply.count }
}
