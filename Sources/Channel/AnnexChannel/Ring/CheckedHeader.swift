/// A frame's header of which every number was held against a bound of ours.
struct CheckedHeader {
    /// Its first word, to be known again.
    let word: HostileWord
    let kind: FrameKind
    let marks: FrameMarks
    let descriptors: UInt8
    let method: UInt16
    let call: UInt64
    /// Bytes of a request's terms, else 0.
    let prefix: UInt32
    /// Bytes of the payload behind the terms.
    let length: UInt32

    /// Whether it is a request or one-way message with nothing but bytes.
    @inline(__always) var isSimple: Bool {
        descriptors == 0 && (kind == .request || kind == .event)
    }

    /// What it takes in the ring.
    @inline(__always) var size: UInt32 { WireFormat.frameSize(payload: prefix &+ length) }

    /// Where the next frame lies, this one being at `position`.
    @inline(__always) func next(after position: UInt32, capacity: UInt32) -> UInt32 {
        let end = position &+ size
        return WireFormat.next(after: end, turns: marks.contains(.turn), capacity: capacity)
    }
}
