extension CallTable {
    /// What a number from the wire can mean.
    enum Lookup {
        case open(ChannelCall)
        /// Taken out by this very look: the caller resolves it.
        case taken(ChannelCall)
        /// Once issued, resolved since.
        case late
        case neverIssued
    }

    func find(_ id: UInt64) -> Lookup {
        if let call = open.value(of: id) { return .open(call) }
        return id <= lastID && id > 0 ? .late : .neverIssued
    }

    /// Looks up whose answer a frame is, and takes the call out at once where the frame needs no further check.
    mutating func match(_ frame: Frame) -> Lookup {
        let found = find(frame.call)
        guard case .open(let call) = found, frame.kind == .reply, frame.descriptors == 0, !call.isPing,
            frame.method == call.method, call.accepts.pieces == 0
        else { return found }
        _ = takeOut(frame.call)
        return .taken(call)
    }
}
