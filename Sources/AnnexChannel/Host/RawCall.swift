/// A call of bare bytes while its caller leads. The pointers are the caller's own and outlive it.
@safe struct RawCall {
    let method: UInt16
    let payload: UnsafeRawBufferPointer
    let reply: UnsafeMutableRawBufferPointer
    /// Nanoseconds that the caller waits at most, as it tells the extension.
    let limit: UInt64?
    /// Nanoseconds that it waits at most.
    let patience: UInt64?

    /// The most bytes of an answer.
    var room: Int { unsafe reply.count }
}
