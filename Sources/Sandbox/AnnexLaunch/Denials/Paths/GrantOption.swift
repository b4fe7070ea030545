internal import AnnexPolicy

/// The options of `annex run` that hand a path over.
enum GrantOption {
    /// The option that gives these rights on a path. nil if no option may give them, or if another mechanism decides about
    /// the path.
    static func option(for path: String, rights: PathRights) -> String? {
        let (name, given): (String, PathRights) =
            if rights.contains(.write) {
                ("--write", [.read, .write])
            } else if rights.contains(.execute) {
                ("--execute", [.read, .execute])
            } else {
                ("--read", .read)
            }
        guard PathText.misspelling(path) == nil, PathText.danger(path, rights: given) == nil else { return nil }
        return "\(name) \(ShellText.quoted(path))"
    }
}
