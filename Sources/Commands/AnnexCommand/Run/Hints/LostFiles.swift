import AnnexLaunch
import AnnexLinux
import AnnexPolicy
import Glibc

/// Notes about files in the program's own `/tmp`, which are gone with the sandbox.
///
/// If `/tmp` was the program's HOME, the first note names all that programs keep in a HOME. Programs also leave files in
/// `/tmp` that a user does not miss. So the second note names a file only for one of two reasons: an argument of the
/// program names it, or it lies at the top and its name does not look made up.
struct LostFiles {
    /// The notes, each as one line.
    let lines: [String]

    /// The most files that a note names.
    private static let most = 3
    /// The most names of the directory that are looked at.
    private static let mostEntries = 10_000

    /// - Parameters:
    ///   - program: the program and its arguments.
    ///   - home: the program's HOME, if it lies in the program's own directory.
    init(_ kept: KeptScratch, of program: [String], given: GivenPaths, policy: Policy, home: ProgramsHome?) {
        guard let scratch = kept.take(), let place = policy.paths.scratch?.path,
            let directory = try? scratch.reopenedReadOnly()
        else {
            lines = []
            return
        }
        // The launch made the directories and links that lead to what was handed over. A grant can be a link, and the
        // place to which it leads is shown too.
        let grants = policy.paths.grants.map(\.path)
        let shown = Set(grants + grants.compactMap(GivenPaths.resolved) + given.all.map(\.path))
        let isShown = { (path: String) in
            // A directory that only leads to the working directory is Annex's, and what lies in it can be the program's.
            given.directory.map { PathText.isPath($0, within: path) } == true
                || shown.contains { PathText.isPath($0, within: path) || PathText.isPath(path, within: $0) }
        }
        let units = home.map { Self.units(of: $0, in: directory, policy: policy, isShown: isShown) } ?? []
        let words = Self.words(program, place: place, isHome: home?.place == place)
        let entries = (try? directory.entries(atMost: Self.mostEntries)) ?? []
        let paths = entries.compactMap { entry -> String? in
            guard let name = entry.name, entry.isRegular || entry.isDirectory, !name.hasPrefix(".") else { return nil }
            let path = "\(place)/\(name)"
            guard !isShown(path), !units.contains(where: { home?.path(of: $0.name) == path }) else { return nil }
            let isNamed = words.contains { Self.word($0, names: path) }
            return isNamed || entry.isRegular && !Self.isMadeUp(name) ? path : nil
        }
        let inHome = home.flatMap { Self.line(units, in: $0, policy: policy) }
        lines = [inHome, Self.line(paths.sorted(), place: place)].compactMap { $0 }
    }

    private static func line(_ paths: [String], place: String) -> String? {
        if paths.isEmpty { return nil }
        return "\(named(paths)) gone with the program's own \(place): to keep files, let the program write "
            + "them into a directory that you hand over with --write"
    }

    /// The first paths, and how many more there are, with the verb.
    private static func named(_ paths: [String]) -> String {
        let names = paths.prefix(most).map { "\(PathText.shown($0, limit: 500))" }.joined(separator: ", ")
        let more = paths.count - most
        let rest = more <= 0 ? "" : more == 1 ? " and 1 more file" : " and \(more) more files"
        return "\(names)\(rest) \(paths.count == 1 ? "is" : "are")"
    }

    // MARK: - HOME

    private static func units(
        of home: ProgramsHome, in scratch: borrowing Descriptor, policy: Policy, isShown: @escaping (String) -> Bool
    ) -> [HomeUnit] {
        let examination = PathExamination(policy)
        var search = HomeSearch { name in
            // The table is read only if there is a file.
            isShown(home.path(of: name)) || HintTable.shipped.remade.contains { PathText.isPath(name, within: $0) }
        } isKnown: { name in
            home.real.map { examination.isDirectory("\($0)/\(name)") } ?? false
        }
        guard let below = home.below else { return search.units(in: scratch) }
        guard let inner = try? scratch.openBeneath(below, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) else { return [] }
        return search.units(in: inner)
    }

    private static func line(_ units: [HomeUnit], in home: ProgramsHome, policy: Policy) -> String? {
        if units.isEmpty { return nil }
        let paths = units.map { home.path(of: $0.lost) }
        let first = units.prefix(most)
        let remedy = HomeRemedy(
            for: first.allSatisfy(\.isDirectory) ? first.map(\.name) : nil, in: home, policy: policy)
        return "\(named(paths)) gone with the program's HOME, which was \(home.below == nil ? "" : "in ")its own "
            + "\(PathText.shown(home.scratch, limit: 500)): to keep \(paths.count == 1 ? "it" : "them"), \(remedy.text)"
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
}
