internal import AnnexModel

extension ExtensionError {
    /// The codes of errors that Annex sends on an extension's behalf. AnnexModel defines codes 1 and 2.
    enum AnnexCode: Int64 {
        case thrown = 3
        case answerTooLarge = 4
        case answerNotAccepted = 5
        case attachmentUnreadable = 6
        case noPicture = 7
    }

    init(_ code: AnnexCode, _ text: String) {
        self.init(code: code.rawValue, domain: Self.annexDomain, localizedDescription: text)
    }

    /// Converts any error to one that can be sent to the host.
    init(describing error: any Error) {
        self = error as? ExtensionError ?? ExtensionError(.thrown, "\(error)")
    }
}
