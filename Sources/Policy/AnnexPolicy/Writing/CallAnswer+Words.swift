internal import AnnexLinux

extension CallAnswer {
    /// The answer as a phrase, for example `refused with EPERM`.
    package var words: String {
        switch self {
        case .allow: "allowed"
        case .refuse(let errno, reported: true): "refused with \(Errno.name(errno)) and reported"
        case .refuse(let errno, reported: false): "refused with \(Errno.name(errno))"
        case .end: "the end of the process"
        case .aborting: "the process's own end by abort()"
        }
    }

    /// The same phrase, with the budget that the broker counts such calls against.
    func words(within bound: CallBound?) -> String {
        bound.map { "\(words) within the bounds of \($0.rawValue)" } ?? words
    }

    /// The answer as one word: `allow`, an errno's name, `end` or `abort`.
    package var word: String {
        switch self {
        case .allow: "allow"
        case .refuse(let errno, _): Errno.name(errno)
        case .end: "end"
        case .aborting: "abort"
        }
    }
}
