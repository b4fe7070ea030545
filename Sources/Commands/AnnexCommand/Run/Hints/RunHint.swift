import AnnexLaunch
import AnnexLinux

/// One line about why a program failed, with the options of `annex run` that remove the cause.
struct RunHint {
    var line: String
    /// The ways to remove the cause. Each choice is enough by itself. The list is empty if no option removes the cause,
    /// or if the user has to choose a name first.
    var choices: [RunChoice] = []
}

/// Options that a user can add to `annex run`.
struct RunChoice: Equatable {
    /// The words of the command line: each option's name is followed by its value.
    let options: [String]
    /// What the options are for, in a few words.
    var purpose = ""

    init(_ options: String..., purpose: String = "") {
        self.init(options, purpose: purpose)
    }

    init(_ options: [String], purpose: String = "") {
        self.options = options
        self.purpose = purpose
    }

    /// The same choice with each option once.
    var withoutRepetition: RunChoice {
        var kept: [String] = []
        for index in stride(from: 0, to: options.count - 1, by: 2) {
            let pair = options[index...index + 1]
            let isKnown = stride(from: 0, to: kept.count, by: 2).contains { kept[$0...$0 + 1].elementsEqual(pair) }
            if !isKnown { kept += pair }
        }
        return RunChoice(kept, purpose: purpose)
    }

    /// The options in a form that can be pasted into a shell.
    var text: String { options.map(ShellText.quoted).joined(separator: " ") }

    /// The options as a hint shows them. A path that is not safe to copy is left out.
    var shown: String { options.map(ShellText.shown).joined(separator: " ") }

    /// The options with their purpose before them, as a list of choices states them.
    var stated: String { purpose.isEmpty ? shown : "(\(purpose)) \(shown)" }

    /// Whether a terminal shows the options exactly as they are.
    var isPlain: Bool { text.utf8.count <= 4_096 && PlainText.isUnmistakable(text) }
}
