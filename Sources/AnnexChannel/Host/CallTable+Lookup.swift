extension CallTable {
    /// What a number from the wire can mean.
    enum Lookup {
        case open(ChannelCall)
        /// Once issued, resolved since.
        case late
        case neverIssued
    }

    func find(_ id: UInt64) -> Lookup {
        if let call = open.value(of: id) { return .open(call) }
        return id <= lastID && id > 0 ? .late : .neverIssued
    }
}
