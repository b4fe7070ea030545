internal import AnnexLinux
public import AnnexPolicy

extension Policy {
    /// Why the policy's own answer does not meet an expectation; nil if it does.
    public func failure(of expectation: Expectation) -> String? {
        switch expectation.subject {
        case .call(let call, let arguments):
            let verdict = verdict(number: call.number, arguments: arguments)
            let answer: Expectation.Answer? =
                switch verdict.answer {
                case .allow: nil
                case .refuse(let errno, _): .errno(errno)
                case .end, .aborting: .end
                }
            return Self.failure(
                of: expectation.wanted, answer, verdict.layer.map { [$0] } ?? [], "\(verdict.place)")
        case .path(let path, let rights):
            let verdict = verdict(path: path, rights: rights)
            let answer = verdict.isAllowed ? nil : Expectation.Answer.errno(verdict.errno ?? 0)
            let place = verdict.place.map { "\($0)" } ?? "no line grants it"
            return Self.failure(of: expectation.wanted, answer, verdict.refusedBy, place)
        }
    }

    private static func failure(
        of wanted: Expectation.Wanted, _ answer: Expectation.Answer?, _ layers: [SandboxLayer], _ place: String
    ) -> String? {
        switch (wanted, answer) {
        case (.allowed, nil): return nil
        case (.allowed, let answer?): return "is denied with \(answer.word) (\(place))"
        case (.denied, nil): return "is allowed (\(place))"
        case (.denied(let expected, let layer), let answer?):
            if let expected, expected != answer {
                return "is denied with \(answer.word) instead of \(expected.word) (\(place))"
            }
            guard let layer, !layers.contains(layer) else { return nil }
            let names = layers.map(\.rawValue).joined(separator: ", ")
            return "is denied by \(names) and not by \(layer.rawValue) (\(place))"
        }
    }
}
