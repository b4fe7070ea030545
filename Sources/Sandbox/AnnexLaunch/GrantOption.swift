internal import AnnexLinux
package import AnnexPolicy

/// An option of `annex run` that gives the program in the sandbox rights on a path of the host.
package struct GrantOption: Sendable, Hashable {
    /// `--read`, `--write`, `--execute` or `--write-execute`.
    package let name: String
    package let path: String

    /// The option as it is pasted into a shell.
    package var text: String { "\(name) \(ShellText.quoted(path))" }

    /// The option that gives these rights on a path. nil if no option may give them, or if another mechanism decides
    /// about the path. The checks are those of the launch, so the launch accepts the option.
    /// - Parameter policy: the policy with everything that the caller handed over.
    package init?(for path: String, rights: PathRights, beside policy: Policy) {
        let (name, given): (String, PathRights) =
            if rights.contains(.write) && Self.hasOther(.execute, on: path, in: policy)
                || rights.contains(.execute) && Self.hasOther(.write, on: path, in: policy)
            {
                ("--write-execute", [.read, .write, .execute])
            } else if rights.contains(.write) {
                ("--write", [.read, .write])
            } else if rights.contains(.execute) {
                ("--execute", [.read, .execute])
            } else {
                ("--read", .read)
            }
        guard PathText.misspelling(path) == nil, Self.danger(of: path, given) == nil else { return nil }
        self.name = name
        self.path = path
    }

    /// Why no option may give these rights on a path; nil if an option may. The path may lead through links.
    package static func danger(of path: String, _ rights: PathRights) -> String? {
        if let danger = PathText.danger(path, rights: rights) { return danger }
        // A program may have chosen the path. So the path is looked up as any path that a program names.
        let place = HostLookup { _ in false }.trail(path).last ?? path
        return GrantDangers().danger(of: place, rights, spelled: path)
    }

    /// Whether the caller handed over exactly this path with this right. No launch takes one path for writing and, by
    /// another option, for executing.
    private static func hasOther(_ right: PathRights, on path: String, in policy: Policy) -> Bool {
        policy.paths.grants.contains { grant in
            grant.isHandedOver && grant.rights.contains(right) && PathText.isSame(grant.path, as: path)
        }
    }
}

/// Quotes the words of a command line that a user may copy into a shell.
package enum ShellText {
    /// The word in single quotes. If no character of the word has a meaning to a shell, the word is unchanged.
    package static func quoted(_ word: String) -> String {
        let isPlain = !word.isEmpty && word.utf8.allSatisfy(isPlain)
        return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }

    /// The word as a message shows it, so that a user can copy it. If a word has a quote, a backslash or a character
    /// that a terminal must not get, no form of the word is safe to copy. Then the result is `PATH` in place of the
    /// word.
    package static func shown(_ word: String) -> String {
        let isSafe =
            !word.contains { $0 == "'" || $0 == "\\" } && Escaped(word, limit: word.utf8.count).description == word
        return isSafe ? quoted(word) : "PATH"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x2B, 0x2C, 0x2D, 0x2E, 0x2F, 0x3A, 0x40, 0x5F: true
        default: false
        }
    }
}
