internal import AnnexPolicy

/// Where the caller's home has what a program looks for in a HOME of its own, in a private directory.
struct HomeCounterpart: Sendable {
    private let inside: String
    private let outside: String

    /// - Parameters:
    ///   - home: HOME of the program; nil if the policy decides.
    ///   - outside: the caller's home without links.
    /// - Returns: nil if HOME is not in a private directory.
    init?(home: [UInt8]?, outside: String, policy: Policy) {
        guard let text = home.map(PathText.text) ?? policy.paths.home, text.hasPrefix("/") else { return nil }
        inside = PathText.resolved(text)
        self.outside = outside
        let isPrivate = policy.paths.privateDirectories.contains { [inside] in $0.path == inside }
        guard isPrivate || policy.isPrivate(inside) else { return nil }
    }

    /// The path in the caller's home; nil if the path is not below HOME.
    func path(of path: String) -> String? {
        guard PathText.isPath(path, within: inside), !PathText.isSame(path, as: inside) else { return nil }
        let names = PathText.parts(path).dropFirst(PathText.parts(inside).count)
        return outside + "/" + names.joined(separator: "/")
    }
}
