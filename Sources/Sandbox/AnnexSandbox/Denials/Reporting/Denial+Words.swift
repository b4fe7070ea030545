internal import AnnexLinux
internal import AnnexPolicy

extension Denial {
    /// One line: what was refused, by whom, with what.
    public var headline: String {
        let layer = layers.first?.title ?? "the sandbox"
        let what: String
        switch subject {
        case .call: what = text
        case .path(let path): what = "\(path.want) \(path.shown)"
        }
        switch answer {
        case .refused(let errno): return "\(what): refused by \(layer) with \(Errno.name(errno))"
        case .ended: return "\(what): the end, by \(layer)"
        case .passed(let errno):
            return "\(what): done, and would be refused by \(layer)"
                + (errno.map { " with \(Errno.name($0))" } ?? ", as the end")
        }
    }

    /// What would allow it, where anything may: an option of `annex run`, or an entry of a policy.
    public var remedy: String? {
        if case .path(let path) = subject, let option = path.option { return Escaped(option, limit: 8_192).description }
        return allowedBy.map { Escaped($0, limit: 8_192).description }
    }
}

extension DeniedPath {
    /// The missing right as a verb.
    fileprivate var want: String {
        if makesEntry { return "make" }
        if missing.contains(.write) { return "write" }
        if missing.contains(.read) { return "read" }
        if missing.contains(.execute) { return "execute" }
        return "see"
    }
}
