import AnnexLaunch
import AnnexLinux

/// The question whether a project file that is new or changed may be used.
struct ProjectQuestion {
    private let file: ProjectFile
    private let place: String

    init(_ file: ProjectFile, place: String) {
        self.file = file
        self.place = place
    }

    var text: String {
        var lines = ["annex: \(Escaped(place, limit: 4_096)) is new, or it was changed. It lets programs have more:"]
        let folder = place.parentPath
        let changeable = file.changeablePrograms(in: folder)
        for entry in file.entries {
            let words = ProjectFile.words(entry)
            lines.append(
                "  \(PlainText.shown(entry.program)): \(PlainText.shown(RunChoice(words).text, limit: 65_536))")
            lines.append("      \(RunMeaning.of(ProjectFile.located(words, in: folder)))")
            guard changeable.contains(entry.program) else { continue }
            lines.append(
                "      Another program of this file can change \(PlainText.shown(entry.program)), and so get this, too."
            )
        }
        return (lines + ["annex: use it from now on? (y: yes, any other answer: no) "]).joined(separator: "\n")
    }

    func ask() -> Bool { UserAnswer.isYes(UserAnswer.after(text, on: .emptyScreen)) }
}
