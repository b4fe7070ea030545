import AnnexLaunch
import AnnexLinux
import AnnexPolicy
internal import AnnexSandbox
import Glibc

/// The options that a project file adds to one `annex run`. This value can also write further options into the file.
struct ProjectOptions {
    /// The path of the project file into which `remember` can write further options; nil if there is no such file.
    let place: String?
    private let folder: String?
    private let file: ProjectFile
    /// The program's name in the file.
    private let program: String

    /// Finds the project file of the working directory. If the file cannot be used, a printed line says why.
    /// - Parameter mayAsk: whether the user can be asked about a file that is new or changed.
    init(_ options: RunOptions, mayAsk: Bool) {
        let here = SandboxProgram.callersDirectory
        let home = UserEnvironment.path("HOME").flatMap(GivenPaths.resolved)
        let found = here.flatMap { ProjectFolder.nearest(from: $0, home: home) }
        let folder = found ?? here
        program = Self.key(options.program[0], from: here, folder: folder ?? "/")
        do {
            guard let folder else { throw SystemError("getcwd", errno: ENOENT) }
            let project = try ProjectFolder(folder)
            file = found == nil ? ProjectFile() : try Self.read(project, program: program, mayAsk: mayAsk)
            self.folder = folder
            place = project.place
        } catch {
            file = ProjectFile()
            self.folder = nil
            place = nil
            if let found { Self.say(error, at: found) }
        }
    }

    /// The name of a program's entry in the project file. A name without a slash stays as it is. A path in the
    /// directory of the project file is written relative to that directory (`./NAME`).
    static func key(_ program: String, from here: String?, folder: String) -> String {
        guard program.contains("/") else { return program }
        let path = PathText.resolved(program.hasPrefix("/") ? program : (here ?? "") + "/" + program)
        return inside(path, of: folder).map { "./" + $0 } ?? path
    }

    private static func inside(_ path: String, of folder: String) -> String? {
        guard PathText.isPath(path, within: folder), path != folder else { return nil }
        return PathText.parts(path).dropFirst(PathText.parts(folder).count).joined(separator: "/")
    }

    /// The reason why a file is not used.
    private struct Unused: Error, CustomStringConvertible {
        let description: String
    }

    private static func read(
        _ project: borrowing ProjectFolder, program: String, mayAsk: Bool
    ) throws -> ProjectFile {
        let bytes = try project.read()
        let allowed = AllowedFiles.ofUser
        let isAllowed = allowed?.contain(project.place, contents: bytes) == true
        // Other contents withdraw what was allowed, even if they have a mistake. Otherwise a program could bring the
        // old contents back later.
        if !isAllowed { try allowed?.remove(project.place) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Unused(description: "it is not UTF-8") }
        let file = try ProjectFile(text: text, file: project.place)
        // If the file has no options for this program, the user need not allow the file.
        if file.words(for: program).isEmpty && !mayAsk { return ProjectFile() }
        guard let allowed else { throw Unused(description: "HOME is not set") }
        if isAllowed { return file }
        guard mayAsk else {
            throw Unused(description: "it is new, or it was changed: annex run --ask shows it and asks")
        }
        guard ProjectQuestion(file, place: project.place).ask() else { throw Unused(description: "it was not allowed") }
        try allowed.set(project.place, contents: bytes)
        return file
    }

    private static func say(_ error: any Error, at folder: String) {
        let place = Escaped(folder == "/" ? "/" + ProjectFile.name : folder + "/" + ProjectFile.name, limit: 4_096)
        StandardError.print("annex: \(place) is not used: \(Escaped("\(error)", limit: 4_096))")
    }

    // MARK: - Use

    /// Adds the file's options for the program, and prints them.
    func extend(_ options: inout RunOptions) {
        let words = file.words(for: program)
        guard let place, let folder else { return }
        options.namingFile = NamingFile(
            path: place, plainPaths: Self.plainPaths(of: words, in: folder), writablePlaces: writablePlaces(in: folder))
        guard !words.isEmpty else { return }
        let shown = RunChoice(words).text
        StandardError.print("annex: \(Escaped(place, limit: 4_096)) adds \(Escaped(shown, limit: 8_192))")
        _ = options.add(ProjectFile.located(words, in: folder))
    }

    /// The paths on which no link is followed: all that begin at the file's directory, and absolute paths in this
    /// directory. Further absolute paths may lead through links of the system.
    private static func plainPaths(of words: [String], in folder: String) -> [String] {
        stride(from: 0, to: words.count - 1, by: 2).compactMap { index in
            guard ProjectFile.paths.contains(String(words[index].dropFirst(2))) else { return nil }
            let (value, path) = (words[index + 1], ProjectFile.absolute(words[index + 1], in: folder))
            return !value.hasPrefix("/") || PathText.isPath(path, within: folder) ? path : nil
        }
    }

    /// Every place in which an entry of the file lets its program write. An absolute path counts twice: as it is
    /// written, and with its links resolved.
    private func writablePlaces(in folder: String) -> [String] {
        file.entries.flatMap { ProjectFile.writablePlaces(of: $0, in: folder) }.flatMap { path in
            [path] + (GivenPaths.resolved(path).map { [$0] } ?? [])
        }
    }

    /// Writes the options into the file, and records the new contents as allowed. If that fails, a printed line says
    /// why.
    func remember(_ words: [String]) {
        guard let folder, let place, let here = SandboxProgram.callersDirectory else { return }
        let kept = ProjectFile.paired(words) { name, value in
            guard ProjectFile.paths.contains(name) else { return value }
            let path = PathText.resolved(value.hasPrefix("/") ? value : here + "/" + value)
            return path == folder ? "." : Self.inside(path, of: folder) ?? path
        }
        var file = file
        file.add(kept, for: program)
        do {
            guard let allowed = AllowedFiles.ofUser else { throw Unused(description: "HOME is not set") }
            for path in Self.plainPaths(of: kept, in: folder) { _ = try HostPath.resolve(withoutLinks: path) }
            // The next run must be able to read the file.
            _ = try ProjectFile(text: file.text, file: place)
            // If the first step fails, the old file still counts. If the second step fails, `annex run` asks again.
            try ProjectFolder(folder).write(file.text)
            try allowed.set(place, contents: Array(file.text.utf8))
        } catch {
            StandardError.print("annex: not remembered: \(Escaped("\(error)", limit: 4_096))")
        }
    }
}
