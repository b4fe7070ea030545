internal import AnnexLinux
internal import AnnexPolicy

extension Policy {
    func explain(path: String, _ rights: PathRights) -> Explanation {
        let verdict = verdict(path: path, rights: rights)
        let shown = Escaped(path, limit: 400).description
        let wanted = rights.words
        let layers = verdict.refusedBy.map(\.title).joined(separator: ", ")
        let answer =
            verdict.isAllowed ? "allowed" : "refused with \(verdict.errno.map(Errno.name) ?? "an error"), by \(layers)"
        var lines = [
            ReportLine(
                "\(shown) (\(wanted.joined(separator: ", "))): \(answer)", verdict.isAllowed ? .good : .bad)
        ]
        let place = verdict.place.map { "\($0): " } ?? ""
        lines.append(
            ReportLine(place + (verdict.reason ?? "no line grants it, so it does not exist inside"), .faint, indent: 1))
        if let remedy = verdict.remedy {
            lines.append(ReportLine("this would allow it:", indent: 1))
            lines.append(ReportLine(remedy, indent: 2))
        } else if !verdict.isAllowed {
            let why = PathText.danger(PathText.resolved(path), rights) ?? PathText.misspelling(path)
            lines.append(ReportLine("no policy may allow it" + (why.map { ": \($0)" } ?? ""), indent: 1))
        }
        lines.append(ReportLine("by its spelling: where links lead is not followed here", .faint, indent: 1))
        return Explanation(
            isAllowed: verdict.isAllowed, lines: lines,
            json: .object([
                .init("policy", .text(name)), .init("path", .text(path)), .init("rights", .texts(wanted)),
                .init("allowed", .boolean(verdict.isAllowed)),
                .init("answer", .optional(verdict.errno.map(Errno.name))),
                .init("layers", .texts(verdict.refusedBy.map(\.rawValue))),
                .init("place", verdict.place?.json ?? .null), .init("reason", .optional(verdict.reason)),
                .init("remedy", .optional(verdict.remedy)),
            ]))
    }
}
