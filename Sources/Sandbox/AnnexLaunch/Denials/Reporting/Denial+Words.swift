internal import AnnexLinux
internal import AnnexPolicy

extension Denial {
    /// One line that says what was denied, to which program and by which layer.
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

    /// The remedy, escaped: an option of `annex run`, or a policy entry; nil if nothing may allow it.
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
