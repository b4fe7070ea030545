internal import AnnexModel

extension EndedExtension {
    /// The approximate memory of this value in bytes: the texts that an extension can make long, and a constant for the
    /// rest.
    var weight: Int {
        let output = termination.lastOutput.reduce(0) { $0 + $1.description.utf8.count }
        return termination.denials.reduce(4096 + output) { $0 + $1.weight }
    }
}

extension DeniedCall {
    fileprivate var weight: Int {
        (arguments + backtrace).reduce(256 + (allowingLine?.utf8.count ?? 0)) { $0 + $1.description.utf8.count }
    }
}
