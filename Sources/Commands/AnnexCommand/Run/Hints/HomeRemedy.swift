import AnnexLaunch
import AnnexLinux
import AnnexPolicy

/// How a program keeps what it writes in a home, if its HOME is its own directory.
struct HomeRemedy {
    /// The remedy in one clause, which begins with a verb.
    let text: String
    /// The options; nil if the user has to make a directory first.
    var choice: RunChoice?

    /// - Parameters:
    ///   - names: the directories below HOME in which the program writes; nil if it writes files that lie beside those
    ///     of other programs.
    init(for names: [String]?, in home: ProgramsHome, policy: Policy) {
        let examination = PathExamination(policy)
        let places = names?.compactMap { home.realPlace(of: $0, examination, beside: policy) }
        // A program often replaces a file by a new one, for which it needs the directory. And a directory with keys, or
        // with what other programs execute, is not handed over because a program has written to its own copy.
        guard let places, places.count == names?.count, !places.isEmpty else {
            text = "give the program a directory of yours as its HOME (--env HOME=DIR --write DIR)"
            return
        }
        let choice = RunChoice(["--env", "HOME"] + places.flatMap { ["--write", $0] })
        let missing = places.filter(examination.isMissing).map(ShellText.shown)
        if missing.isEmpty {
            text = "add \(choice.shown)"
            self.choice = choice
        } else {
            text = "first mkdir -p \(missing.joined(separator: " ")), and add \(choice.shown)"
        }
    }
}

extension ProgramsHome {
    /// The directory of the caller's home that an option may hand over for writing; nil if there is none.
    fileprivate func realPlace(of name: String, _ examination: PathExamination, beside policy: Policy) -> String? {
        guard let real, !Self.isDelicate(name) else { return nil }
        let place = "\(real)/\(name)"
        guard examination.isDirectory(place) || examination.isMissing(place) else { return nil }
        return GrantOption(for: place, rights: [.read, .write], beside: policy)?.path
    }
}
