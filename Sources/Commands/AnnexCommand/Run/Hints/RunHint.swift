import AnnexLaunch
import AnnexLinux
import AnnexPolicy
internal import AnnexSandbox

/// One line about why a program failed, with the options of `annex run` that remove the cause.
struct RunHint {
    var line: String
    /// The ways to remove the cause. Each choice is enough by itself. The list is empty if no option removes the cause,
    /// or if the user has to choose a name first.
    var choices: [RunChoice] = []

    /// What a hint adds about a place that holds credentials and for which it names no option.
    static let ofCredentials = ". It holds credentials: name it by itself only if the program must have them"

    /// The same hint without the choices that hand over credentials. A person still reads the option.
    var withoutCredentials: RunHint {
        let safe = choices.withoutCredentials
        if safe.count == choices.count { return self }
        return RunHint(
            line: line + " (this hands over credentials: do so only if the program must have them)", choices: safe)
    }
}

extension [RunChoice] {
    /// The choices that hand over no credentials. What a program does and prints leads to choices, and tools apply them.
    var withoutCredentials: [RunChoice] {
        let places = isEmpty ? nil : CredentialPlaces()
        return filter { choice in !choice.places.contains { places?.concern($0) == true } }
    }
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

    /// The paths that the options hand over.
    fileprivate var places: [String] {
        stride(from: 0, to: options.count - 1, by: 2).compactMap { index in
            guard ["--read", "--write", "--execute", "--write-execute"].contains(options[index]) else { return nil }
            let path = options[index + 1]
            if path.hasPrefix("/") { return path }
            return SandboxProgram.callersDirectory.map { PathText.resolved($0 + "/" + path) }
        }
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
