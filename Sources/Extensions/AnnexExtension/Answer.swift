internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel

/// An answer in the form in which the channel sends it. A request can be answered only once. So the answer is checked
/// against the limits of the channel and of the host before it is sent. If the check fails, an error can still be
/// sent instead.
struct Answer: ~Copyable {
    let payload: [UInt8]
    private var pieces: SealedPieces

    private init(payload: [UInt8], pieces: consuming SealedPieces) {
        self.payload = payload
        self.pieces = pieces
    }

    /// Encodes items as an answer.
    ///
    /// - Throws: an error that says why the host would not accept these items.
    static func items(
        _ items: [ExtensionItem], largestPayload: Int, accepts: DescriptorAllowance
    ) throws(ExtensionError) -> Answer {
        var contents = ContentsList()
        let payload = try encoded(items, collecting: &contents, atMost: largestPayload)
        let pieces = try sealed(contents)
        guard pieces.count <= accepts.pieces, pieces.bytes <= accepts.bytes else {
            throw ExtensionError(
                .answerNotAccepted,
                text: "The host accepts \(accepts.pieces) attachments of \(accepts.bytes) bytes in all; the answer has "
                    + "\(pieces.count) of \(pieces.bytes) bytes.")
        }
        return Answer(payload: payload, pieces: pieces)
    }

    /// Encodes a list of items. If the list does not fit into one message, the list is sent in sealed memory together
    /// with the message.
    private static func encoded(
        _ items: [ExtensionItem], collecting contents: inout ContentsList, atMost bytes: Int
    ) throws(ExtensionError) -> [UInt8] {
        let message = ReplyMessage(items, collecting: &contents)
        do throws(ExtensionError) {
            return try encoded(message, atMost: bytes)
        } catch {
            guard let paged = try? message.paged(collecting: &contents) else { throw error }
            return try encoded(paged, atMost: bytes)
        }
    }

    private static func encoded(_ message: ReplyMessage, atMost bytes: Int) throws(ExtensionError) -> [UInt8] {
        do throws(EncodingFailure) {
            return try message.encoded(
                within: MessageLimits(
                    bytes: bytes, fields: MessageLimits.standard.fields, depth: MessageLimits.standard.depth))
        } catch {
            throw ExtensionError(
                .answerTooLarge,
                text: "The answer is too large for a message: \(error); send large contents as attachments.")
        }
    }

    /// Encodes an error as an answer. Long texts are cut to fit.
    static func error(_ error: ExtensionError, largestPayload: Int) -> Answer {
        let short = ExtensionError(
            code: error.code, domain: cut(error.domain, to: 200),
            localizedDescription: cut(error.localizedDescription, to: largestPayload / 2))
        let payload = (try? encoded(.cancelled(short), atMost: largestPayload)) ?? []
        return Answer(payload: payload, pieces: SealedPieces())
    }

    /// Cuts a text to a number of bytes. If a character is cut in two, a replacement character takes its place.
    private static func cut(_ text: String, to bytes: Int) -> String {
        text.utf8.count <= bytes ? text : String(decoding: text.utf8.prefix(bytes), as: UTF8.self)
    }

    consuming func takePieces() -> SealedPieces { pieces }

    private static func sealed(_ contents: ContentsList) throws(ExtensionError) -> SealedPieces {
        var pieces = SealedPieces()
        do {
            for item in contents.contents { pieces.append(try item.sealedMemory()) }
        } catch {
            throw ExtensionError(.attachmentUnreadable, text: "An attachment of the answer cannot be sent: \(error)")
        }
        return pieces
    }
}

extension ItemContents {
    /// These contents as sealed memory: the memory itself if it is already sealed, otherwise a sealed copy of the
    /// file.
    fileprivate func sealedMemory() throws -> SealedMemory {
        let opened = try open()
        if let seals = try? opened.descriptor.seals(), seals.isSuperset(of: .immutable) {
            return try SealedMemory(sealed: opened.descriptor.duplicate())
        }
        return try SealedMemory(copying: load())
    }
}

extension ExtensionError {
    /// The codes of errors that Annex sends on an extension's behalf. AnnexModel defines codes 1, 2 and 8.
    enum AnnexCode: Int64 {
        case thrown = 3
        case answerTooLarge = 4
        case answerNotAccepted = 5
        case attachmentUnreadable = 6
        case noPicture = 7
        // The code 8 belongs to `ExtensionError.noEditedPicture` in AnnexModel.
        case unknownEdit = 9
    }

    init(_ code: AnnexCode, text: String) {
        self.init(code: code.rawValue, domain: Self.annexDomain, localizedDescription: text)
    }

    /// Converts any error to an error that can be sent to the host.
    init(describing error: any Error) {
        switch error {
        case let error as ExtensionError: self = error
        case is CancellationError, ExtensionFailure.cancelled: self = .userCancelled
        default: self.init(.thrown, text: "\(error)")
        }
    }
}
