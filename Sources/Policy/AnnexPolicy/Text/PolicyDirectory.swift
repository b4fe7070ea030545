internal import AnnexLinux
internal import Glibc

/// A directory of policies, or of other YAML files, that a user wrote. No file in the directory can block or deceive
/// the reader.
package struct PolicyDirectory {
    let path: String

    package init(path: String) {
        self.path = path
    }

    /// The most entries. A directory with more entries is not a directory of policies.
    private static let mostFiles = 1024

    /// Every file `NAME.yaml`, by its name. Other files, hidden files and expectation files are ignored.
    ///
    /// - Throws: an error if the directory or one of these files cannot be read safely.
    func sources() throws(PolicyError) -> [String: PolicyLibrary.Source] {
        try texts().mapValues { PolicyLibrary.Source(text: $0.text, file: $0.file) }
    }

    /// The text and the path of each file that `sources` finds, by the file's `NAME`.
    package func texts() throws(PolicyError) -> [String: (text: String, file: String)] {
        let directory = try step { () throws(SystemError) in try Descriptor.directory(path) }
        let status = try step { () throws(SystemError) in try directory.status() }
        try rejectForeign(status, at: path)
        let entries = try step { () throws(SystemError) in
            try directory.entries(atMost: Self.mostFiles)
        }
        var texts: [String: (text: String, file: String)] = [:]
        for entry in entries {
            guard let name = entry.name else { throw PolicyError("\(path): contains a file whose name is not UTF-8") }
            guard name.hasSuffix(".yaml"), !name.hasPrefix("."), !ExpectationsText.isName(name) else { continue }
            let file = path + "/" + name
            texts[String(name.dropLast(".yaml".count))] = (try text(of: name, file, in: directory), file)
        }
        return texts
    }

    /// The policies in the directory of a file. Unreadable files, pipes, links, and files that another user can change
    /// are skipped. If a policy includes a skipped file, only this policy fails.
    func neighbours() -> [String: PolicyLibrary.Source] {
        guard let directory = try? Descriptor.directory(path),
            let entries = try? directory.entries(atMost: Self.mostFiles)
        else { return [:] }
        var sources: [String: PolicyLibrary.Source] = [:]
        for name in entries.compactMap(\.name) where name.hasSuffix(".yaml") && !ExpectationsText.isName(name) {
            let file = path == "." ? name : path + "/" + name
            guard let text = try? text(of: name, file, in: directory) else { continue }
            sources[String(name.dropLast(".yaml".count))] = PolicyLibrary.Source(text: text, file: file)
        }
        return sources
    }

    /// Reads one file. It does not wait for a pipe or a device, and does not follow a link. It refuses everything
    /// except a regular file.
    private func text(
        of name: String, _ file: String, in directory: borrowing Descriptor
    ) throws(PolicyError) -> String {
        let opened = try open(name, file: file, in: directory)
        let status = try step { () throws(SystemError) in try opened.status() }
        guard status.kind == .regular else { throw PolicyError("\(file): is not a regular file") }
        try rejectForeign(status, at: file)
        guard status.size <= PolicyNode.largestText else {
            throw PolicyError("\(file): is longer than \(PolicyNode.largestText) bytes")
        }
        let bytes = try step { () throws(SystemError) in
            try opened.readAll(atMost: PolicyNode.largestText)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw PolicyError("\(file): is not UTF-8") }
        return text
    }

    private func open(
        _ name: String, file: String, in directory: borrowing Descriptor
    ) throws(PolicyError) -> Descriptor {
        do throws(SystemError) {
            return try directory.openBeneath(name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY)
        } catch {
            let isLink = error.errno == ELOOP
            throw PolicyError(isLink ? "\(file): is a link; replace it with a regular file" : "\(file): \(error)")
        }
    }

    /// Refuses a file or directory that belongs to another user, or that every user can write. Another user could
    /// otherwise decide about the rights of programs. The text of a policy states these rights, and the file of an
    /// extension point names the policy.
    private func rejectForeign(_ status: FileStatus, at path: String) throws(PolicyError) {
        guard status.user == 0 || status.user == geteuid() else {
            throw PolicyError("\(path): belongs to another user; it must belong to root or to you")
        }
        guard status.mode & 0o002 == 0 else {
            throw PolicyError("\(path): every user can change it; remove that right (chmod o-w)")
        }
    }

    private func step<Result: ~Copyable>(
        _ body: () throws(SystemError) -> Result
    ) throws(PolicyError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            // The error itself names the path if it is about the directory.
            if error.errno == ENOENT { throw PolicyError("\(path): there is no such folder") }
            throw PolicyError(error.path == path ? "\(error)" : "\(path): \(error)")
        }
    }
}

/// The names of expectation files: `NAME.expectations.yaml` stands beside `NAME.yaml`.
package enum ExpectationsText {
    package static let ending = ".expectations.yaml"

    package static func isName(_ file: String) -> Bool { file.hasSuffix(ending) }
}
