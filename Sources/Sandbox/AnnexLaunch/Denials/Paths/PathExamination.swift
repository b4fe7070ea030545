internal import AnnexLinux
package import AnnexPolicy
internal import Glibc

/// Finds out why a program could not use a path that it named in an error message.
///
/// The program can print any path. So the result depends on the policy and on the host's file names alone, and no link that
/// the program could have made is followed.
package struct PathExamination {
    package struct Finding: Sendable, Hashable {
        /// The path that lacks a right, without links of the host.
        package let path: String
        package let fault: Fault
        /// The option of `annex run` that gives the right; nil if no option may give it.
        package let grant: GrantOption?
    }

    package enum Fault: Sendable, Hashable {
        /// The host has the path, and the sandbox does not.
        case notShown
        /// The sandbox has the directory because it has something below it.
        case notReadable
        case notWritable
        case notExecutable
        /// The file could be executed if the program could not have written it.
        case writtenCode
    }

    private let policy: Policy
    private let lookup: HostLookup

    package init(_ policy: Policy) {
        self.policy = policy
        lookup = HostLookup { policy.verdict(path: $0, rights: .write).isAllowed }
    }

    /// - Parameters:
    ///   - errno: the error that the program stated: `ENOENT`, `EACCES`, `EPERM` or `EROFS`; 0 if it stated no cause.
    ///   - makesFile: whether the program probably wanted to make the file.
    /// - Returns: nil if the path explains no such error.
    package func finding(_ path: String, errno: Int32, makesFile: Bool) -> Finding? {
        let path = PathText.resolved(path)
        guard PathText.misspelling(path) == nil, case .found(let real) = lookup.follow(path) else {
            return makesFile || errno == EROFS ? findingAboutNewFile(path, errno: errno) : nil
        }
        // The name itself may be hidden, or only the place that it leads to.
        let hidden = [path, real].first { !isShown($0) || [0, ENOENT].contains(errno) && policy.isPrivate($0) }
        if let hidden { return isProgram(real) ? hiddenProgram(real) : hiddenData(hidden) }
        guard errno != ENOENT else { return nil }
        if errno == EACCES, !allows(.read, on: real) { return finding(real, fault: .notReadable, rights: .read) }
        if ![0, EROFS].contains(errno), isProgram(real), !allows(.execute, on: real) {
            guard allows(.write, on: real) else { return finding(real, fault: .notExecutable, rights: .execute) }
            return finding(real, fault: .writtenCode, rights: .execute)
        }
        let isWriting = makesFile || errno == EROFS
        return isWriting && !allows(.write, on: real) ? finding(real, fault: .notWritable, rights: .write) : nil
    }

    /// A file that the sandbox does not have. A program that reads one of its settings or data files usually reads the others
    /// too.
    private func hiddenData(_ path: String) -> Finding {
        let parts = PathText.parts(path)
        let places: [[Substring]] = [["etc"], ["var", "lib"], ["sys", "devices", "system"]]
        let place = places.first { parts.starts(with: $0) && parts.count > $0.count + 1 }
        let whole = place.map { "/" + parts.prefix($0.count + 1).joined(separator: "/") }
        return Finding(path: path, fault: .notShown, grant: GrantOption(for: whole ?? path, rights: .read))
    }

    /// A program that the sandbox does not have. It usually needs the files around it too.
    private func hiddenProgram(_ path: String) -> Finding {
        let package = Self.package(of: path)
        // A directory that many programs share is not handed over for one of them.
        let isShared = PathText.danger(package, rights: [.read, .write, .execute]) != nil
        let grant = GrantOption(for: isShared ? path : package, rights: .execute)
        return Finding(path: path, fault: .notShown, grant: grant)
    }

    /// The directory that a program was probably installed in: the one with the program, or the one above `bin`. A directory
    /// that holds the files of many programs, or a user's keys, is never suggested as a whole.
    private static func package(of path: String) -> String {
        let directory = path.parentPath
        let names = ["bin", "sbin", "libexec", "shims"]
        let shared = [".local", ".config", ".cache", ".ssh", ".gnupg", "opt", "local"]
        guard let name = PathText.parts(directory).last, names.contains(String(name)) else { return directory }
        let above = directory.parentPath
        let isShared = PathText.parts(above).last.map { shared.contains(String($0)) } ?? true
        return isShared || PathText.danger(above, rights: .execute) != nil ? directory : above
    }

    /// The host has no such file. If it has the directory, the program could have made the file there.
    private func findingAboutNewFile(_ path: String, errno: Int32) -> Finding? {
        let directory = path.parentPath
        guard directory != "/", case .found(let real) = lookup.follow(directory), !allows(.write, on: real) else {
            return nil
        }
        guard isShown(real) else { return finding(real, fault: .notShown, rights: .write) }
        // In a directory that the sandbox has, a file that cannot be made is not a missing file.
        return errno == ENOENT ? nil : finding(real, fault: .notWritable, rights: .write)
    }

    private func finding(_ path: String, fault: Fault, rights: PathRights) -> Finding {
        Finding(path: path, fault: fault, grant: GrantOption(for: path, rights: rights))
    }

    private func isShown(_ path: String) -> Bool { policy.verdict(path: path, rights: []).isAllowed }

    private func allows(_ rights: PathRights, on path: String) -> Bool {
        policy.verdict(path: path, rights: rights).isAllowed
    }

    /// Whether the path is a file that its mode lets its owner execute, and that begins as a program or a script does.
    private func isProgram(_ path: String) -> Bool {
        var status = stat()
        // SAFETY: the path is a NUL-terminated copy, and the structure belongs to this frame.
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & S_IXUSR != 0,
            let file = try? Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY),
            let beginning = try? file.read(at: 0, count: 4)
        else { return false }
        return beginning == [0x7F] + Array("ELF".utf8) || beginning.starts(with: "#!".utf8)
    }
}
