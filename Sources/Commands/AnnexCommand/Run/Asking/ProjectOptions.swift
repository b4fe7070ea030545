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
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Unused(description: "it is not UTF-8") }
        let file = try ProjectFile(text: text, file: project.place)
        // If the file has no options for this program, the user need not allow the file.
        if file.words(for: program).isEmpty && !mayAsk { return ProjectFile() }
        guard let allowed = AllowedFiles.ofUser else { throw Unused(description: "HOME is not set") }
        if allowed.contain(project.place, contents: bytes) { return file }
        guard mayAsk else {
            throw Unused(description: "it is new, or it was changed: annex run --ask shows it and asks")
        }
        guard ProjectQuestion(file, place: project.place).ask() else { throw Unused(description: "it was not allowed") }
        try allowed.add(project.place, contents: bytes)
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
        guard let place, let folder, !words.isEmpty else { return }
        let shown = RunChoice(words).text
        StandardError.print("annex: \(Escaped(place, limit: 4_096)) adds \(Escaped(shown, limit: 8_192))")
        _ = options.add(Self.located(words, in: folder))
    }

    /// The words with absolute paths. In the file, a path begins at the file's directory.
    private static func located(_ words: [String], in folder: String) -> [String] {
        paired(words) { name, value in
            guard ProjectFile.paths.contains(name), !value.hasPrefix("/") else { return value }
            return PathText.resolved(folder + "/" + value)
        }
    }

    /// Writes the options into the file, and records the new contents as allowed. If that fails, a printed line says
    /// why.
    func remember(_ words: [String]) {
        guard let folder, let place, let here = SandboxProgram.callersDirectory else { return }
        let kept = Self.paired(words) { name, value in
            guard ProjectFile.paths.contains(name) else { return value }
            let path = PathText.resolved(value.hasPrefix("/") ? value : here + "/" + value)
            return path == folder ? "." : Self.inside(path, of: folder) ?? path
        }
        var file = file
        file.add(kept, for: program)
        do {
            guard let allowed = AllowedFiles.ofUser else { throw Unused(description: "HOME is not set") }
            // The contents are allowed before the file is written. So if the second step fails, no file is left that
            // the next run would refuse.
            try allowed.add(place, contents: Array(file.text.utf8))
            try ProjectFolder(folder).write(file.text)
        } catch {
            StandardError.print("annex: not remembered: \(Escaped("\(error)", limit: 4_096))")
        }
    }

    /// Changes the values of options.
    private static func paired(_ words: [String], change: (_ name: String, _ value: String) -> String) -> [String] {
        stride(from: 0, to: words.count - 1, by: 2).flatMap { index in
            [words[index], change(String(words[index].dropFirst(2)), words[index + 1])]
        }
    }
}
