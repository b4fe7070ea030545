package import AnnexMessages

/// What moves in a job, and which descriptors travel with it.
package enum TransferWork: Message, Hashable {
    /// One descriptor: the destination, a regular file open for writing.
    case download(TransferDownload)
    /// One descriptor: the body, a regular file of exactly this size, open for reading.
    case upload(size: UInt64)
    /// The body is `multipart/form-data`. One descriptor for each file of the parts, in their order.
    case form([TransferPart])

    package var isDownload: Bool { if case .download = self { true } else { false } }

    /// How many descriptors belong to the job.
    package var descriptors: Int {
        guard case .form(let parts) = self else { return 1 }
        return parts.count { $0.size != nil }
    }

    package func encode(into encoder: inout MessageEncoder) {
        switch self {
        case .download(let download): encoder.encode(download, as: 1)
        case .upload(let size): encoder.encode(size, as: 2)
        case .form(let parts): encoder.encode(list: parts, as: 3)
        }
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let download = try decoder.decodeIfPresent(1, as: TransferDownload.self)
        let size = try decoder.decodeIfPresent(2, as: UInt64.self)
        let parts = try decoder.decodeList(3, of: TransferPart.self)
        switch (download, size, parts.isEmpty) {
        case (let download?, nil, true): self = .download(download)
        case (nil, let size?, true): self = .upload(size: size)
        case (nil, nil, false): self = .form(parts)
        default: throw decoder.failure(1, reason: .rejected("is not exactly one kind of work"))
        }
    }

    package var problem: StaticText? {
        switch self {
        case .download(let download): download.problem
        case .upload(let size): size > UInt64(Int64.max) ? "has a body that no file can hold" : nil
        case .form(let parts): parts.problem
        }
    }
}

/// The rest of a file to fetch.
package struct TransferDownload: Message, Hashable {
    /// How many bytes the destination already has. The agent writes from this offset on, if the server still has the same
    /// file. Otherwise it empties the destination and begins at 0.
    package let offset: UInt64
    /// What the bytes before `offset` belong to. Without a validator, the agent begins at 0.
    package let validator: TransferValidator?
    /// The most bytes that the whole file may have.
    package let mostBytes: UInt64

    package init(offset: UInt64 = 0, validator: TransferValidator? = nil, mostBytes: UInt64) {
        self.offset = offset
        self.validator = validator
        self.mostBytes = mostBytes
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(offset, as: 1)
        encoder.encode(validator, as: 2)
        encoder.encode(mostBytes, as: 3)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        offset = try decoder.decode(1)
        validator = try decoder.decodeIfPresent(2)
        mostBytes = try decoder.decode(3)
    }

    fileprivate var problem: StaticText? {
        guard offset <= mostBytes, mostBytes <= UInt64(Int64.max) else { return "begins after its largest size" }
        return validator?.problem
    }
}

/// What says that a server's file is still the same.
package enum TransferValidator: Message, Hashable {
    /// A strong entity tag, with its quotation marks.
    case entityTag(String)
    /// The time of the last change, as the server wrote it.
    case lastModified(String)

    package var text: String {
        switch self {
        case .entityTag(let text), .lastModified(let text): text
        }
    }

    package func encode(into encoder: inout MessageEncoder) {
        switch self {
        case .entityTag(let text): encoder.encode(text, as: 1)
        case .lastModified(let text): encoder.encode(text, as: 2)
        }
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let tag = try decoder.decodeIfPresent(1, as: String.self)
        let date = try decoder.decodeIfPresent(2, as: String.self)
        switch (tag, date) {
        case (let tag?, nil): self = .entityTag(tag)
        case (nil, let date?): self = .lastModified(date)
        default: throw decoder.failure(1, reason: .rejected("is not exactly one kind of validator"))
        }
        if let problem { throw decoder.failure(1, reason: .rejected(problem)) }
    }

    package var problem: StaticText? {
        guard (1...TransferLimits.validator).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else { return "has a validator that is not 1 to 512 printable ASCII characters" }
        guard case .entityTag(let tag) = self else { return nil }
        let isQuoted = tag.utf8.count > 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
        let isStrong = isQuoted && !tag.utf8.dropFirst().dropLast().contains(0x22)
        return isStrong ? nil : "has an entity tag that is not strong"
    }
}

/// One part of a form.
package struct TransferPart: Message, Hashable {
    package let name: String
    /// The name that the server sees for a file; nil if the part has none.
    package let fileName: String?
    /// The media type; nil if the part states none.
    package let type: String?
    /// The part's contents, if they are a text.
    package let text: String?
    /// The exact size, if the part's contents are a file.
    package let size: UInt64?

    package init(name: String, text: String, type: String? = nil) {
        self.name = name
        fileName = nil
        self.type = type
        self.text = text
        size = nil
    }

    package init(name: String, fileName: String?, type: String?, size: UInt64) {
        self.name = name
        self.fileName = fileName
        self.type = type
        text = nil
        self.size = size
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(name, as: 1)
        encoder.encode(fileName, as: 2)
        encoder.encode(type, as: 3)
        encoder.encode(text, as: 4)
        encoder.encode(size, as: 5)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        name = try decoder.decode(1)
        fileName = try decoder.decodeIfPresent(2)
        type = try decoder.decodeIfPresent(3)
        text = try decoder.decodeIfPresent(4)
        size = try decoder.decodeIfPresent(5)
        guard (text == nil) != (size == nil) else {
            throw decoder.failure(4, reason: .rejected("is not exactly one of a text and a file"))
        }
    }

    fileprivate var problem: StaticText? {
        for label in [name, fileName ?? "-", type ?? "-"] {
            guard (1...TransferLimits.partName).contains(label.utf8.count),
                label.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
            else { return "has a part whose name or type is not 1 to 255 bytes without control characters" }
        }
        return nil
    }
}

extension [TransferPart] {
    fileprivate var problem: StaticText? {
        guard !isEmpty, count <= TransferLimits.parts else { return "has no part, or more than 64" }
        guard count(where: { $0.size != nil }) <= TransferLimits.files else { return "has more than 16 files" }
        guard reduce(0, { $0 + ($1.text?.utf8.count ?? 0) }) <= TransferLimits.textBytes else {
            return "has texts of more than 64 KiB"
        }
        var (sum, overflow): (UInt64, Bool) = (0, false)
        for size in lazy.compactMap(\.size) where !overflow { (sum, overflow) = sum.addingReportingOverflow(size) }
        guard !overflow, sum <= UInt64(Int64.max) else { return "has a body that no file can hold" }
        return lazy.compactMap(\.problem).first
    }
}
