internal import AnnexLinux

/// A grant whose path depends on the user who starts the program: a file in this user's home, or a path that a variable of
/// the environment names.
///
/// The path is found when the program starts. A broker starts extensions for other reasons than a user's command, so no
/// extension can have such a grant.
public struct CallersGrant: Sendable, Hashable {
    /// The path as the policy spells it, for example `~/.gitconfig` or `$SSH_AUTH_SOCK`.
    public let pattern: String
    /// The rights on the file or directory.
    public let rights: PathRights
    /// Whether the path is left out if it does not exist. Otherwise the launch fails.
    public let isOptional: Bool
    /// What the object at the path must be.
    public let kind: GrantedKind
    /// The reason why the policy grants the path.
    public let reason: String
    let stated: StatedPlace

    /// The line of the policy that grants the path.
    public var place: PolicyPlace? { stated.place }
}

/// What the object at a granted path must be.
public enum GrantedKind: String, Sendable, Hashable, CaseIterable {
    /// Any file or directory.
    case any
    /// A socket file of the caller or of root.
    case socket
    /// The socket file of an X11 display on this machine. The variable holds the display's name, for example `:0`.
    case x11
}

extension CallersGrant {
    /// Where a grant leads for one user.
    package enum Destination: Sendable, Hashable {
        case path(String)
        /// There is no such path, for this reason.
        case missing(String)
        /// The user's environment has a value that cannot be used, for this reason.
        case unusable(String)
    }

    /// Whether the text is the path of a caller's grant, and not an absolute path.
    static func isPattern(_ text: String) -> Bool { text.hasPrefix("~") || text.hasPrefix("$") }

    /// The fault of a pattern's spelling; nil if there is none.
    static func misspelling(_ pattern: String, kind: GrantedKind) -> String? {
        var parts = pattern.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        if kind == .x11, parts.count > 1 || !pattern.hasPrefix("$") {
            return "with `kind: x11`, the path is one variable, such as $DISPLAY"
        }
        if parts[0] == "~" {
            guard parts.count > 1 else { return "it is the whole home: name the files or directories in it" }
            parts.removeFirst()
        } else if parts[0].hasPrefix("~") {
            return "only the caller's own home has a short name: write `~/`, and the path in the home"
        }
        guard !parts.contains("") else { return "the path has a double or trailing slash: remove it" }
        for (index, part) in parts.enumerated() where part.hasPrefix("$") {
            guard isVariable(part.dropFirst()) else {
                return "`\(Escaped(part))` names no variable: write $NAME, with capital letters, digits and underscores"
            }
            parts[index] = "x"
        }
        guard !parts.contains(where: { $0.contains("$") }) else {
            return "a variable must be a whole part of the path, such as $NAME/file"
        }
        return PathText.misspelling("/" + parts.joined(separator: "/"))
    }

    private static func isVariable(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return name.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
            && !name.hasPrefix("LD_")
    }

    /// Finds the path for one user. This function looks at no file.
    ///
    /// If a variable holds an absolute path, this path takes the place of what precedes the variable. So
    /// `$XDG_RUNTIME_DIR/$WAYLAND_DISPLAY` is right for both forms of the second variable.
    /// - Parameter variable: the value of a variable of the user's environment; nil if it is not set.
    package func destination(variable: (String) -> String?) -> Destination {
        var path = ""
        var obstacle: Destination?
        for (index, part) in PathText.parts(pattern).enumerated() {
            let name = part == "~" ? "HOME" : part.hasPrefix("$") ? String(part.dropFirst()) : nil
            guard let name, part != "~" || index == 0 else {
                path += "/" + part
                continue
            }
            guard let value = variable(name), !value.isEmpty else {
                obstacle = obstacle ?? .missing("the variable \(name) is not set")
                continue
            }
            if kind == .x11 { return Self.socket(ofDisplay: value) }
            if value.hasPrefix("/") {
                (path, obstacle) = (value, nil)
            } else if index == 0 {
                obstacle = .unusable("the variable \(name) holds no absolute path")
            } else {
                path += "/" + value
            }
        }
        return obstacle ?? Self.checked(path, pattern: pattern)
    }

    private static func checked(_ path: String, pattern: String) -> Destination {
        let plain = "/" + PathText.parts(path).joined(separator: "/")
        if let problem = PathText.misspelling(plain) { return .unusable("\(Escaped(plain)): \(problem)") }
        return .path(plain)
    }

    /// The socket file of an X11 display. A display's name is `:NUMBER` or `:NUMBER.SCREEN`, if the display is one of
    /// this machine. Programs reach other displays by the network.
    private static func socket(ofDisplay name: String) -> Destination {
        let own = name.hasPrefix("unix:") ? name.dropFirst(4) : name[...]
        let parts = own.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
        let isNumber = { (text: Substring) in
            (1...5).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard own.hasPrefix(":"), (1...2).contains(parts.count), parts.allSatisfy(isNumber) else {
            return .missing("the display \(Escaped(name)) has no socket file on this machine")
        }
        return .path("/tmp/.X11-unix/X\(parts[0])")
    }
}
