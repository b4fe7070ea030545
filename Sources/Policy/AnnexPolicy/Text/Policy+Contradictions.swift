extension Policy {
    /// Checks the sections of a joined policy against each other.
    ///
    /// - Throws: if two of them contradict each other.
    func refuseContradictions() throws(PolicyError) {
        for grant in paths.grants {
            if let contradiction = contradiction(of: grant) {
                throw PolicyError("`\(grant.path)`: \(contradiction)", at: grant.place)
            }
        }
    }

    private func contradiction(of grant: PathGrant) -> String? {
        if paths.privateDirectory != .none, grant.path == paths.privatePath {
            return "the private directory is there: a path is one or the other"
        }
        if writeXorExecute, grant.rights.isSuperset(of: [.write, .execute]) {
            return "what is written here could be executed: `write` and `execute` contradict `write-xor-execute: on`"
        }
        let outer = paths.grants.last { $0.path != grant.path && PathText.isWithin(grant.path, $0.path) }
        if let outer, outer.rights.contains(.read), !grant.rights.contains(.read) {
            return "no layer can forbid reading here while `\(outer.path)` is granted with `read`"
        }
        return nil
    }
}
