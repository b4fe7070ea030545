/// A received frame: header checked, payload copied. Nothing in it lies in shared memory.
struct Frame {
    let kind: FrameKind
    let descriptors: UInt8
    /// A request's caller looks for the answer itself.
    let isAttended: Bool
    let method: UInt16
    let call: UInt64
    /// A request's terms; of other kinds the empty ones.
    let terms: RequestTerms
    /// The sender's bytes, of which nothing is known but their number.
    let payload: [UInt8]
}
