internal import AnnexLinux

extension CallAnswer {
    /// For people, for example `refused with EPERM`.
    package var words: String {
        switch self {
        case .allow: "allowed"
        case .refuse(let errno, reported: true): "refused with \(Errno.name(errno)) and reported"
        case .refuse(let errno, reported: false): "refused with \(Errno.name(errno))"
        case .end: "the end of the process"
        case .aborting: "the process's own end by abort()"
        }
    }

    /// One word: `allow`, an errno's name, `end` or `abort`.
    package var word: String {
        switch self {
        case .allow: "allow"
        case .refuse(let errno, _): Errno.name(errno)
        case .end: "end"
        case .aborting: "abort"
        }
    }
}
