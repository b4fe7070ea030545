import AnnexLaunch
import AnnexLinux
import AnnexPolicy
import Glibc

/// A note about files in the program's own `/tmp`, which are gone with the sandbox.
///
/// Programs also leave files there that a user does not miss. So the note names a file only for one of three reasons:
/// an argument of the program names it; it lies at the top and its name does not look made up; or it is a known
/// configuration file in HOME.
struct LostFiles {
    /// The note as one line.
    let line: String

    /// The most files that the note names.
    private static let most = 3
    /// The most names of the directory that are looked at.
    private static let mostEntries = 10_000

    /// - Parameters:
    ///   - program: the program and its arguments.
    ///   - isHome: whether the directory was the program's HOME.
    /// - Returns: nil if there is no such file.
    init?(_ kept: KeptScratch, of program: [String], given: GivenPaths, policy: Policy, isHome: Bool) {
        guard let scratch = kept.take(), let place = policy.paths.scratch?.path,
            let directory = try? scratch.reopenedReadOnly(),
            let entries = try? directory.entries(atMost: Self.mostEntries)
        else { return nil }
        let shown = policy.paths.grants.map(\.path) + (given.directory.map { [$0] } ?? [])
        let words = Self.words(program, place: place, isHome: isHome)
        let named = entries.compactMap { entry -> String? in
            guard let name = entry.name, entry.isRegular || entry.isDirectory else { return nil }
            let path = "\(place)/\(name)"
            // The launch made the directories that lead to what was handed over.
            if shown.contains(where: { PathText.isPath($0, within: path) || PathText.isPath(path, within: $0) }) {
                return nil
            }
            // A hidden file is rather a program's own. Known settings are looked for below.
            let isNamed = !name.hasPrefix(".") && words.contains { Self.word($0, names: path) }
            return isNamed || entry.isRegular && !Self.isMadeUp(name) ? path : nil
        }
        let settings = isHome ? Self.settings(in: directory).map { "\(place)/\($0)" } : []
        let others = named.filter { path in !settings.contains { PathText.isPath($0, within: path) } }
        let paths = others.sorted() + settings
        guard !paths.isEmpty else { return nil }
        line = Self.line(paths, place: place)
    }

    private static func line(_ paths: [String], place: String) -> String {
        let names = paths.prefix(most).map { "\(PathText.shown($0, limit: 500))" }.joined(separator: ", ")
        let more = paths.count - most
        let rest = more <= 0 ? "" : more == 1 ? " and 1 more file" : " and \(more) more files"
        let verb = paths.count == 1 ? "is" : "are"
        return "\(names)\(rest) \(verb) gone with the program's own \(place): to keep files, let the program write "
            + "them into a directory that you hand over with --write"
    }

    // MARK: - What arguments name

    /// The arguments, with the usual spellings of HOME replaced.
    private static func words(_ program: [String], place: String, isHome: Bool) -> [String] {
        program.dropFirst().map { word in
            guard isHome else { return word }
            return word.replacing("${HOME}/", with: place + "/").replacing("$HOME/", with: place + "/")
                .replacing("~/", with: place + "/")
        }
    }

    /// Whether a word contains the path as a whole, or a path below it.
    private static func word(_ word: String, names path: String) -> Bool {
        word.ranges(of: path).contains { range in
            let isBegun = range.lowerBound == word.startIndex || !isPart(word[word.index(before: range.lowerBound)])
            return isBegun && (range.upperBound == word.endIndex || !isPart(word[range.upperBound]))
        }
    }

    private static func isPart(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "._-".contains(character)
    }

    // MARK: - Names

    /// Whether a program probably made the name up for a file that only it uses, as mktemp(1) does.
    static func isMadeUp(_ name: String) -> Bool {
        let lower = name.lowercased()
        if name.hasPrefix(".") || lower.hasPrefix("tmp") || lower.hasPrefix("temp") { return true }
        if [".tmp", ".temp", ".lock", ".lck", ".pid", ".sock", "~"].contains(where: lower.hasSuffix) { return true }
        return name.split { !$0.isLetter && !$0.isNumber }.contains { part in
            guard part.count >= 6 else { return part.count >= 4 && part.allSatisfy(\.isNumber) && !name.contains(".") }
            let isMixed = part.dropFirst().contains(where: \.isUppercase) && part.contains(where: \.isLowercase)
            return isMixed || part.contains(where: \.isNumber) && part.contains(where: \.isLetter)
        }
    }

    // MARK: - Settings

    /// Files in which programs keep what their user sets.
    private static let files = [
        ".gitconfig", ".config/git/config", ".npmrc", ".yarnrc", ".config/pip/pip.conf", ".pip/pip.conf", ".pypirc",
        ".netrc", ".condarc", ".gemrc", ".cargo/config.toml", ".cargo/credentials.toml", ".config/go/env",
        ".docker/config.json", ".ssh/config", ".bashrc", ".profile", ".zshrc", ".vimrc", ".curlrc", ".wgetrc",
    ]

    private static func settings(in home: borrowing Descriptor) -> [String] {
        var found: [String] = []
        for file in files where isRegular(file.split(separator: "/").map(String.init)[...], in: home) {
            found.append(file)
        }
        return found
    }

    /// No link is followed, because the program could have made it.
    private static func isRegular(_ path: ArraySlice<String>, in directory: borrowing Descriptor) -> Bool {
        guard let name = path.first, let found = try? directory.openBeneath(name, Descriptor.pathOnly | O_NOFOLLOW)
        else {
            return false
        }
        let rest = path.dropFirst()
        return rest.isEmpty ? (try? found.status())?.kind == .regular : isRegular(rest, in: found)
    }
}
