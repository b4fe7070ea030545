import AnnexLinux
import AnnexPolicy
import AnnexSandbox
import AnnexShippedPolicies

/// One option of `annex run`.
///
/// The reader of the command line, the help, the manual and the completions are made from the table `all`.
struct RunOption: Sendable {
    /// The name with its hyphens.
    let name: String
    /// What the value is, in one word. Nil if the option has no value.
    let value: String?
    /// What the option does. `{words}` stands for the words that a shell offers.
    let help: String
    var completion = Completion.none
    /// Whether the option may be given more than once.
    var repeats = false
    /// Whether the next word is the value even if it begins with a hyphen, as a negative number does.
    var takesHyphen = false
    /// The effect of the option with this value. The value is empty if the option has none.
    let apply: @Sendable (_ options: inout RunOptions, _ value: String) throws(WrongOption) -> Void

    /// What a shell offers as the value.
    enum Completion: Sendable {
        case none, file, directory
        case words(@Sendable () -> [String])
    }

    static func named(_ name: Substring) -> RunOption? { all.first { $0.name == name } }
}

/// A mistake in the options of `annex run`.
struct WrongOption: Error {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension RunOption {
    static let all: [RunOption] = [
        RunOption(
            name: "--policy", value: "policy",
            help: "The policy, by its name or by the path of its file (`./mine.yaml`). Default: tool.",
            completion: .words { PolicyLibrary.shipped.names }
        ) { $0.policy = $1 },
        RunOption(
            name: "--policies", value: "dir",
            help: "A directory of policies. Each replaces the shipped policy of the same name.", completion: .directory
        ) { $0.policies = $1 },
        RunOption(
            name: "--allow", value: "name", help: "Add an allowance to the policy: {words}.",
            completion: .words { PolicyLibrary.shipped.allowances }, repeats: true
        ) { $0.allow.append($1) },
        RunOption(
            name: "--allow-host", value: "host",
            help: """
                Let the program connect to this machine: NAME, *.NAME (all names below it) or ADDRESS, and :PORT for one \
                TCP port only. It reaches no other machine.
                """, repeats: true
        ) { (options, value) throws(WrongOption) in try options.allowHost(value) },
        RunOption(
            name: "--allow-port", value: "port",
            help: "Let the program connect to this TCP port of this machine (127.0.0.1 and ::1), and to no other.",
            repeats: true
        ) { (options, value) throws(WrongOption) in try options.allowPort(value) },
        RunOption(
            name: "--publish", value: "port",
            help: """
                Let this machine connect to this TCP port of the program, at 127.0.0.1 and ::1. 8080:3000: port 8080 of \
                this machine is port 3000 of the program.
                """, repeats: true
        ) { (options, value) throws(WrongOption) in try options.publish(value) },
        RunOption(
            name: "--allow-line", value: "line",
            help: "Add a line of a policy's list `calls:`, as a hint shows it.", repeats: true
        ) { $0.allowLine.append($1) },
        RunOption(
            name: "--limit", value: "name=value",
            help: "Set a limit of the policy, higher or lower: file=4G, processes=1000, scratch=2G.",
            completion: .words { LimitName.allCases.map { "\($0.rawValue)=" } }, repeats: true
        ) { $0.limit.append($1) },
        RunOption(
            name: "--memory", value: "bytes",
            help: "The most memory, for example 64M. Short for --limit memory=….", takesHyphen: true
        ) { (options, value) throws(WrongOption) in options.memory = try ByteSize(option: value) },
        RunOption(
            name: "--launch-limit", value: "seconds", help: "End the program if its launch takes longer.",
            takesHyphen: true
        ) { (options, value) throws(WrongOption) in options.launchLimit = try seconds(value) },
        RunOption(
            name: "--timeout", value: "seconds",
            help: """
                End the program if it runs longer. `none`: no clock ends it. Default: the limit `request` of the policy, \
                600 for tool.
                """, takesHyphen: true
        ) { (options, value) throws(WrongOption) in
            options.timeout = value == "none" ? .infinity : try seconds(value, orNone: true)
        },
        RunOption(
            name: "--end-with-parent", value: nil,
            help: "When the process that started annex ends, ask the program to end, and end it after its grace."
        ) { options, _ in options.endsWithParent = true },
        RunOption(
            name: "--read", value: "path", help: "Let the program read this file or directory.", completion: .file,
            repeats: true
        ) { $0.read.append($1) },
        RunOption(
            name: "--write", value: "path",
            help: "Let the program change this file or everything in this directory.", completion: .file, repeats: true
        ) { $0.write.append($1) },
        RunOption(
            name: "--execute", value: "path",
            help: "Let the program read and execute this file or everything in this directory.", completion: .file,
            repeats: true
        ) { $0.execute.append($1) },
        RunOption(
            name: "--write-execute", value: "dir",
            help: """
                Like --write. The program can also execute files that it wrote there or in its own /tmp. The report names \
                both.
                """, completion: .directory, repeats: true
        ) { $0.writeExecute.append($1) },
        RunOption(
            name: "--read-all-but", value: "dir",
            help: """
                Let the program read this directory, which may be your home or /, without the places that hold \
                credentials (annex policy show credentials).
                """, completion: .directory, repeats: true
        ) { $0.readAllBut.append($1) },
        RunOption(
            name: "--hide", value: "pattern",
            help: """
                In all directories that are handed over, let the program neither read nor change what matches: .env, \
                *.pem, secrets/, config/*.key, ~/.ssh.
                """, repeats: true
        ) { (options, value) throws(WrongOption) in options.hide.append(try pattern(value)) },
        RunOption(
            name: "--protect", value: "pattern", help: "The same, but let the program read what matches.",
            repeats: true
        ) { (options, value) throws(WrongOption) in options.protect.append(try pattern(value)) },
        RunOption(
            name: "--unprotect", value: "group",
            help: """
                In directories that are handed over for writing, hooks, start files and settings are protected (annex \
                policy show protected). Let the program change this group of them: {words}.
                """, completion: .words { protections }, repeats: true
        ) { (options, value) throws(WrongOption) in
            guard protections.contains(value) else {
                throw WrongOption("`\(Escaped(value))` is not a group: \(protections.joined(separator: ", "))")
            }
            options.unprotect.append(value)
        },
        RunOption(
            name: "--env", value: "name", help: "Set a variable: NAME=VALUE, or NAME with its present value.",
            repeats: true
        ) { $0.env.append($1) },
        RunOption(
            name: "--directory", value: "dir",
            help: """
                The working directory: one that was handed over, or is inside or above such a place. Default: the present \
                one, which is empty if it was not.
                """, completion: .directory
        ) { $0.directory = $1 },
        RunOption(
            name: "--private-directory", value: "dir",
            help: "The private directory of the program, if the policy keeps one from run to run.",
            completion: .directory
        ) { $0.privateDirectory = $1 },
        RunOption(
            name: "--waive", value: "layer",
            help: """
                Do without this layer if the machine cannot give it: {words}. The report lists it.
                """, completion: .words { layers }, repeats: true
        ) { (options, value) throws(WrongOption) in
            guard let layer = SandboxLayer(rawValue: value) else {
                throw WrongOption("`\(Escaped(value))` is not a layer: \(layers.joined(separator: ", "))")
            }
            options.waive.append(layer)
        },
        RunOption(
            name: "--best-effort", value: nil,
            help: "Do without every layer that the machine cannot give. One line on stderr names what is missing."
        ) { options, _ in options.bestEffort = true },
        RunOption(
            name: "--explain", value: nil,
            help: "Report denied paths too, and print every denial at the end. The program runs slower."
        ) { options, _ in options.explain = true },
        RunOption(
            name: "--ask", value: nil,
            help: """
                If the program fails and an option can mend that, ask whether to run it again with that option. Needs a \
                terminal.
                """
        ) { options, _ in options.asks = true },
        RunOption(
            name: "--report", value: "file", help: "Write the whole report to this file as JSON.", completion: .file
        ) { $0.report = $1 },
        RunOption(
            name: "--json-events", value: "target",
            help: """
                Write one line of JSON for each kind of denial when it happens, and one for the end. The target is a file, \
                or the number of an open descriptor.
                """, completion: .file
        ) { $0.jsonEvents = $1 },
    ]

    private static var layers: [String] { SandboxLayer.allCases.map(\.rawValue) }

    /// The most seconds that an option takes.
    static let mostSeconds: Int64 = 1_000_000

    private static var protections: [String] {
        ShippedParts.groups(of: (try? ShippedParts.protected()) ?? []) + ["all"]
    }

    private static func pattern(_ value: String) throws(WrongOption) -> String {
        do throws(PathPattern.Mistake) {
            return try PathPattern(value, home: UserEnvironment.path("HOME")).text
        } catch {
            throw WrongOption("`\(Escaped(value))`: \(error)")
        }
    }

    private static func seconds(_ value: String, orNone: Bool = false) throws(WrongOption) -> Double {
        guard let seconds = Double(value), seconds > 0, seconds <= Double(mostSeconds) else {
            throw WrongOption(
                "`\(Escaped(value))` must be more than 0 and at most \(mostSeconds) seconds"
                    + (orNone ? ", or `none`" : ""))
        }
        return seconds
    }
}

extension ByteSize {
    fileprivate init(option: String) throws(WrongOption) {
        guard let size = ByteSize(argument: option) else {
            throw WrongOption("write \(Quantity.formOfBytes), for example 64M")
        }
        self = size
    }
}

// MARK: - Help

extension RunOption {
    /// The list of the options for the help and the manual.
    static func help() -> String { list(all.map { ($0.shown, $0.helpText) }, column: 26) }

    /// The list of the allowances, in the words of their texts.
    static func allowanceHelp(_ library: PolicyLibrary = .shipped) -> String {
        let rows = library.allowances.map { ($0, library.help(ofAllowance: $0) ?? "") }
        return list(rows, column: (rows.map(\.0.count).max() ?? 0) + 4)
    }

    /// The variables of the environment that the policy `tool` and its allowance `network` keep.
    static func environmentHelp() -> String {
        guard let tool = try? Policy.compiledAhead(named: "tool").environment.passed,
            let network = try? Policy.compiledAhead(named: "tool+network").environment.passed
        else { return "" }
        let names = Set(tool.map { $0.hasPrefix("LC_") ? "LC_*" : $0 }).sorted()
        let more = network.filter { !tool.contains($0) && $0.uppercased() == $0 }.sorted()
        return paragraph(
            "Kept: \(names.joined(separator: " ")); with --allow network also \(more.joined(separator: " ")). PATH keeps "
                + "its directories in which the program may execute files. A variable that names only paths is kept if "
                + "they are handed over, such as VIRTUAL_ENV. All others are dropped, unless --env names them.")
    }

    /// The limits of the policy `tool` that the options raise and lower.
    static func limitHelp() -> String {
        guard let policy = try? Policy.compiledAhead(named: "tool") else { return "" }
        let options: [(name: LimitName, shown: String)] = [
            (.memory, "--memory"), (.request, "--timeout"), (.processor, "processor"), (.processes, "processes"),
            (.descriptors, "descriptors"), (.file, "file"),
        ]
        let limits = options.compactMap { option in
            policy.limits.values.first { $0.name == option.name }.map { "\(option.shown) \($0.value.text)" }
        }
        let scratch = policy.paths.scratch.map { ["scratch \(Quantity.text(bytes: $0.size))"] } ?? []
        return paragraph("Limits unless an option sets them: \((limits + scratch).joined(separator: ", ")).")
    }

    private static func paragraph(_ text: String) -> String {
        wrapped(text, to: 77).map { "  " + $0 }.joined(separator: "\n")
    }

    /// Each line has at most 79 characters. ArgumentParser breaks a line of 80 characters again.
    static func list(_ rows: [(head: String, text: String)], column: Int) -> String {
        rows.flatMap { head, text in
            let (head, lines) = ("  " + head, wrapped(text, to: 79 - column))
            let fits = head.count < column - 1
            let first = fits ? head.padded(to: column) + (lines.first ?? "") : head
            return [first] + lines.dropFirst(fits ? 1 : 0).map { String(repeating: " ", count: column) + $0 }
        }.joined(separator: "\n")
    }

    private var shown: String { value.map { "\(name) <\($0)>" } ?? name }

    private var helpText: String {
        let words: [String] = if case .words(let words) = completion { words() } else { [] }
        return help.replacing("{words}", with: words.joined(separator: ", "))
            + (repeats ? " May be given more than once." : "")
    }

    private static func wrapped(_ text: String, to width: Int) -> [String] {
        var rows: [String] = []
        for word in text.split(separator: " ") {
            if let last = rows.last, last.count + 1 + word.count <= width {
                rows[rows.count - 1] = "\(last) \(word)"
            } else {
                rows.append(String(word))
            }
        }
        return rows
    }
}

// MARK: - Completion

extension RunOption {
    /// What a shell offers for a word of the command line.
    /// - Parameters:
    ///   - before: the words after `run` and before this word.
    ///   - prefix: the beginning of the word.
    static func completions(after before: [String], prefix: String) -> [String] {
        if case .value(let option) = RunOptions.state(after: before) { return option.values(prefix: prefix) }
        guard case .options = RunOptions.state(after: before), prefix.hasPrefix("-") else { return [] }
        return (all.map(\.name) + ["--help"]).filter { $0.hasPrefix(prefix) }
    }

    private func values(prefix: String) -> [String] {
        switch completion {
        case .none: []
        case .words(let words): words().filter { $0.hasPrefix(prefix) }
        case .file: Self.paths(prefix, onlyDirectories: false)
        case .directory: Self.paths(prefix, onlyDirectories: true)
        }
    }

    /// The most entries of a directory that are looked at.
    private static let mostEntries = 4_096

    private static func paths(_ prefix: String, onlyDirectories: Bool) -> [String] {
        let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
        guard let directory = try? Descriptor.directory(folder.isEmpty ? "." : folder),
            let entries = try? directory.entries(atMost: mostEntries)
        else { return [] }
        return entries.compactMap { entry in
            guard let name = entry.name, (folder + name).hasPrefix(prefix) else { return nil }
            let isDirectory = (try? Descriptor.directory(folder + name)) != nil
            return isDirectory ? folder + name + "/" : onlyDirectories ? nil : folder + name
        }.sorted()
    }
}
