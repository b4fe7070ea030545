internal import AnnexWarden

/// Encodes a plan as the warden reads it: the header, then runs of records and texts, each run at a multiple of 8.
struct PlanEncoder {
    private(set) var bytes = [UInt8](repeating: 0, count: MemoryLayout<annex_plan>.size)

    private mutating func align() {
        while bytes.count % 8 != 0 { bytes.append(0) }
    }

    private var offset: UInt32 { UInt32(clamping: bytes.count) }

    /// Appends a text with its NUL.
    mutating func text(_ text: String) throws(LaunchFailure) -> annex_bytes {
        try self.text(Array(text.utf8))
    }

    mutating func text(_ characters: [UInt8]) throws(LaunchFailure) -> annex_bytes {
        guard !characters.contains(0) else {
            throw LaunchFailure(
                .plan, errno: LaunchFailure.invalid, subject: String(decoding: characters, as: UTF8.self),
                remedy: "a text must not hold a NUL byte")
        }
        let place = annex_bytes(offset: offset, length: UInt32(clamping: characters.count))
        bytes += characters
        bytes.append(0)
        return place
    }

    mutating func texts(_ list: [[UInt8]]) throws(LaunchFailure) -> annex_records {
        var places: [annex_bytes] = []
        for item in list { places.append(try text(item)) }
        return records(places)
    }

    /// Appends bytes without an end mark.
    mutating func blob(_ contents: [UInt8]) -> annex_bytes {
        align()
        defer { bytes += contents }
        return annex_bytes(offset: offset, length: UInt32(clamping: contents.count))
    }

    mutating func records<Record: BitwiseCopyable>(_ list: [Record]) -> annex_records {
        align()
        let place = annex_records(offset: offset, count: UInt32(clamping: list.count))
        // SAFETY: records of the header's types, whose padding fields are named and set.
        unsafe list.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        return place
    }

    /// The whole message, with the final header.
    consuming func finish(_ header: annex_plan) -> [UInt8] {
        var header = header
        align()
        header.size = offset
        // SAFETY: as for the records; the header's room was reserved first.
        unsafe withUnsafeBytes(of: header) { unsafe bytes.replaceSubrange(0..<$0.count, with: $0) }
        return bytes
    }
}
