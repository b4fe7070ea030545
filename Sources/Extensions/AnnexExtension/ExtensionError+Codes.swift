internal import AnnexModel

extension ExtensionError {
    /// Errors that Annex gives in an extension's stead; 1 and 2 are AnnexModel's.
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

    /// Any error as one that can travel.
    init(describing error: any Error) {
        self = error as? ExtensionError ?? ExtensionError(.thrown, "\(error)")
    }
}
