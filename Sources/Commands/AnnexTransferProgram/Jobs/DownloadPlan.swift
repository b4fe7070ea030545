internal import AnnexTransferWire

/// What to do with the body of an answer to a download's request.
enum DownloadPlan: Hashable {
    /// Write the body from this offset on. The destination is emptied first if it is 0.
    case write(from: UInt64, expected: UInt64?)
    /// Ask once more, for the whole file.
    case restart
    /// Keep the body for the broker: it is not the file.
    case keep
    case fail(TransferError)

    /// - Parameters:
    ///   - offset: the first byte that was asked for; 0 if the whole file was asked for.
    ///   - validator: what the bytes before the offset belong to.
    init(after head: AnswerHead, offset: UInt64, validator: TransferValidator?) {
        if !head.unreadable.isDisjoint(with: [.contentLength, .contentRange]) {
            self = .fail(.bodyMismatch)
            return
        }
        let length = head.fields[.contentLength].flatMap { ContentRange.number($0) }
        switch head.status {
        case 206: self = Self.rest(head, length: length, from: offset, of: validator)
        case 200..<300: self = .write(from: 0, expected: length)
        case 416 where offset > 0: self = .restart
        default: self = .keep
        }
    }

    /// A part of the file is taken only if it is exactly the rest of the same file.
    private static func rest(
        _ head: AnswerHead, length: UInt64?, from offset: UInt64, of validator: TransferValidator?
    ) -> DownloadPlan {
        guard offset > 0, let range = head.fields[.contentRange].flatMap({ ContentRange($0) }), let part = range.part,
            part.lowerBound == offset
        else { return .fail(.bodyMismatch) }
        let (end, overflow) = part.upperBound.addingReportingOverflow(1)
        let count = part.upperBound - part.lowerBound &+ 1
        guard !overflow, length ?? count == count, range.whole ?? end == end else { return .fail(.bodyMismatch) }
        if case .entityTag(let tag)? = validator, let now = head.fields[.entityTag], now != tag {
            return .fail(.bodyMismatch)
        }
        return .write(from: offset, expected: end)
    }
}

extension TransferValidator {
    /// What a later attempt can resume by: a strong entity tag, or a date of the last change that lies before the answer's
    /// own date, so that a further change in the same second is noticed.
    init?(of head: AnswerHead, seconds: (String) -> Int64?) {
        guard !head.unreadable.contains(.entityTag) else { return nil }
        if let tag = head.fields[.entityTag], TransferValidator.entityTag(tag).problem == nil {
            self = .entityTag(tag)
            return
        }
        guard let text = head.fields[.lastModified], head.unreadable.isDisjoint(with: [.lastModified, .date]),
            TransferValidator.lastModified(text).problem == nil, let date = head.fields[.date],
            let changed = seconds(text), let answered = seconds(date), changed < answered
        else { return nil }
        self = .lastModified(text)
    }
}
