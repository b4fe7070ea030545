internal import AnnexLinux
package import AnnexPolicy
internal import Glibc

/// Finds out why a program could not use a path that it named in an error message.
///
/// The program can print any path. So the result depends only on the policy and on the host's file names. Links that
/// the program could have made are not followed.
package struct PathExamination {
    package struct Finding: Sendable, Hashable {
        /// The path for which the sandbox lacks a right. It is the named path or its directory, or the place to which
        /// links of the host lead from there.
        package let path: String
        package let fault: Fault
        /// The rights that the program needs and lacks.
        package let rights: PathRights
        /// The option of `annex run` that gives the right; nil if no option may give it.
        package let grant: GrantOption?
    }

    package enum Fault: Sendable, Hashable {
        /// The host has the path, and the sandbox does not. Or the sandbox has a directory only because it leads to
        /// something else, and the program wants to make a file in it.
        case notShown
        /// The sandbox shows the directory only because it shows something below it, so the program is not allowed to
        /// read the directory.
        case notReadable
        case notWritable
        case notExecutable
        /// The program is not allowed to execute the file, because it is allowed to write the file.
        case writtenCode
    }

    private let policy: Policy
    /// The working directory of the program; nil if it is unknown.
    private let directory: String?
    private let lookup: HostLookup

    package init(_ policy: Policy, directory: String? = nil) {
        self.policy = policy
        self.directory = directory
        lookup = HostLookup { policy.verdict(path: $0, rights: .write).isAllowed }
    }

    /// - Parameters:
    ///   - errno: the error that the program stated: `ENOENT`, `EACCES`, `EPERM` or `EROFS`; 0 if it stated no cause.
    ///   - makesFile: whether the program probably wanted to make the file.
    ///   - opensFile: whether the program probably wanted to open the file, and not to execute it.
    /// - Returns: nil if the path does not explain the error.
    package func finding(_ path: String, errno: Int32, makesFile: Bool, opensFile: Bool = false) -> Finding? {
        let path = PathText.resolved(path)
        if let directory = unwritable(path, errno: errno) {
            return finding(directory, fault: .notShown, rights: .write)
        }
        guard Self.isPlain(path), case .found(let real) = lookup.follow(path) else {
            return makesFile || errno == EROFS ? findingAboutNewFile(path, errno: errno) : nil
        }
        // The sandbox may lack the named path itself, or only the place to which the path leads.
        let hidden = [path, real].first { !isShown($0) || [0, ENOENT].contains(errno) && policy.isPrivate($0) }
        // Where the sandbox shows nothing, an attempt to write has this error.
        if let hidden, errno == EROFS || makesFile { return finding(hidden, fault: .notShown, rights: .write) }
        if let hidden {
            return isProgram(real, isRead: opensFile) ? hiddenProgram(real) : hiddenData(hidden)
        }
        guard errno != ENOENT else { return nil }
        if errno == EACCES, !allows(.read, on: real) { return finding(real, fault: .notReadable, rights: .read) }
        if ![0, EROFS].contains(errno), isProgram(real), !allows(.execute, on: real) {
            guard allows(.write, on: real) else { return finding(real, fault: .notExecutable, rights: .execute) }
            return finding(real, fault: .writtenCode, rights: .execute)
        }
        let isWriting = makesFile || errno == EROFS
        return isWriting && !allows(.write, on: real) ? finding(real, fault: .notWritable, rights: .write) : nil
    }

    /// Directories in which users keep compilers, interpreters and their programs.
    private static let toolchains: Set<Substring> = [
        ".cargo", ".rustup", ".nvm", ".pyenv", ".rbenv", ".asdf", ".sdkman", ".volta", ".deno", ".bun", ".ghcup",
        ".opam",
        ".rvm", ".nodenv", ".goenv", ".jenv", ".fnm", ".juliaup",
    ]

    /// The finding for a file that the sandbox does not have. A program that reads one of its settings or data files
    /// usually reads the other files too. So for such a file, the option grants the whole directory.
    private func hiddenData(_ path: String) -> Finding {
        let parts = PathText.parts(path)
        if let end = parts.firstIndex(where: Self.toolchains.contains), end > 0 {
            // Such a directory holds programs, also if the first thing that was missing is one of their settings.
            let directory = "/" + parts[...end].joined(separator: "/")
            return finding(path, fault: .notShown, rights: .execute, granting: directory)
        }
        let places: [[Substring]] = [["etc"], ["var", "lib"], ["sys", "devices", "system"]]
        let place = places.first { parts.starts(with: $0) && parts.count > $0.count + 1 }
        var whole = place.map { "/" + parts.prefix($0.count + 1).joined(separator: "/") }
        // Beside a setting such as /etc/ssl/openssl.cnf, the directory may hold keys.
        if let directory = whole, CredentialPlaces().concern(directory) { whole = nil }
        return finding(path, fault: .notShown, rights: .read, granting: whole)
    }

    /// The finding for a program that the sandbox does not have. A program usually needs the files around it too, so
    /// the option grants its whole directory, unless many programs share that directory.
    private func hiddenProgram(_ path: String) -> Finding {
        let package = Self.package(of: path)
        // A directory that many programs share is not granted for the sake of one program.
        let isShared = PathText.danger(package, rights: [.read, .write, .execute]) != nil
        return finding(path, fault: .notShown, rights: .execute, granting: isShared ? path : package)
    }

    /// Whether a directory of this name holds the files of many programs, or a user's keys. Such a directory is never
    /// suggested as a whole.
    package static func isShared(name: Substring) -> Bool {
        [".local", ".config", ".cache", ".ssh", ".gnupg", "opt", "local"].contains(name)
    }

    /// The directory in which a program was probably installed. Usually this is the directory that holds the program.
    /// If that directory is a `bin` or similar, the result is the directory above the `bin`, unless many programs
    /// share the directory above.
    private static func package(of path: String) -> String {
        let directory = path.parentPath
        let names = ["bin", "sbin", "libexec", "shims"]
        guard let name = PathText.parts(directory).last, names.contains(String(name)) else { return directory }
        let above = directory.parentPath
        let isShared = PathText.parts(above).last.map { Self.isShared(name: $0) } ?? true
        return isShared || GrantOption.danger(of: above, .execute) != nil ? directory : above
    }

    /// The most missing directories above a new file that are looked up.
    private static let mostMissing = 16

    /// The nearest directory above a path that the host may have, and the missing ones below it. Programs also make the
    /// directories that lead to a new file.
    private func directories(above path: String) -> [String] {
        var directories = [path.parentPath]
        while directories.count < Self.mostMissing, let last = directories.last, last != "/", isMissing(last) {
            directories.append(last.parentPath)
        }
        return directories
    }

    /// The finding for a file that the host does not have. If the host has the file's directory, the program may have
    /// tried to make the file there.
    private func findingAboutNewFile(_ path: String, errno: Int32) -> Finding? {
        let directories = directories(above: path)
        guard let directory = directories.last, directory != "/", case .found(let real) = lookup.follow(directory)
        else {
            return nil
        }
        if policy.isPrivate(real) {
            // At this place, the sandbox has a directory only if it leads to something else, or if the program made it.
            return errno == ENOENT && !isLeading(real) ? finding(real, fault: .notShown, rights: .write) : nil
        }
        guard !allows(.write, on: real) else { return nil }
        guard isShown(real) else { return finding(real, fault: .notShown, rights: .write) }
        // If the sandbox has the directory, an attempt to make a file there does not fail with ENOENT. So the missing
        // right does not explain this errno, unless the program could not make a directory on the way.
        return errno == ENOENT && directories.count == 1 ? nil : finding(real, fault: .notWritable, rights: .write)
    }

    /// The directory in which the program could not make a file, if this directory only leads to something else. A file
    /// in such a directory cannot cause the errno in another way, because the directory shows no other file.
    private func unwritable(_ path: String, errno: Int32) -> String? {
        guard errno == EACCES, Self.isPlain(path), policy.isPrivate(path) else { return nil }
        return ([path] + directories(above: path)).first(where: isLeading)
    }

    /// Whether a directory exists in a private directory only because it leads to the working directory or to something
    /// that was handed over. The program can read and not write it.
    package func isLeading(_ path: String) -> Bool {
        guard policy.isPrivate(path) else { return false }
        let places = policy.paths.grants.map(\.path) + [directory].compactMap { $0 }
        return places.contains { PathText.isPath($0, within: path) }
    }

    /// - Parameter whole: the path that the option names; nil if it is the path itself.
    private func finding(
        _ path: String, fault: Fault, rights: PathRights, granting whole: String? = nil
    ) -> Finding {
        let grant = GrantOption(for: whole ?? path, rights: rights, beside: policy)
        return Finding(path: path, fault: fault, rights: rights, grant: grant)
    }

    /// Whether the path is spelled plainly. No option can name a path that is not UTF-8, but it can be looked up.
    private static func isPlain(_ path: String) -> Bool {
        PathText.misspelling(path) == nil || !PathText.isUTF8(path)
    }

    private func isShown(_ path: String) -> Bool { policy.verdict(path: path, rights: []).isAllowed }

    private func allows(_ rights: PathRights, on path: String) -> Bool {
        policy.verdict(path: path, rights: rights).isAllowed
    }

    /// Whether the host surely has nothing at a path.
    package func isMissing(_ path: String) -> Bool { lookup.follow(path) == .missing }

    /// Whether the path leads to a directory of the host. False if the answer is unknown.
    package func isDirectory(_ path: String) -> Bool { lookup.isDirectory(path) }

    /// Whether the path is a program: a file whose mode lets its owner execute it, and that begins like an ELF file or
    /// a script. A script that the program only reads is data, as for `sh FILE`.
    private func isProgram(_ path: String, isRead: Bool = false) -> Bool {
        let beginning = lookup.beginning(ofProgram: path, count: 4)
        if beginning == [0x7F] + Array("ELF".utf8) { return true }
        return !isRead && beginning?.starts(with: "#!".utf8) == true
    }
}
