import AnnexLaunch
import AnnexLinux
import AnnexPolicy

/// What options of `annex run` give to the program. Options of one kind have one sentence together.
enum RunMeaning {
    /// Files that usually hold keys or passwords.
    private static let secrets: Set<String> = [
        ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc", ".git-credentials", ".pgpass", ".mozilla",
        ".password-store", ".my.cnf", ".npmrc", ".pypirc", "gcloud", "gh", "google-chrome", "chromium", "keyrings",
        "shadow",
    ]

    /// - Parameter options: names, each followed by its value.
    static func of(_ options: [String]) -> String {
        var kinds: [(name: String, values: [String])] = []
        for index in stride(from: 0, to: options.count - 1, by: 2) {
            let (name, value) = (options[index], options[index + 1])
            if let known = kinds.firstIndex(where: { $0.name == name }) {
                kinds[known].values.append(value)
            } else {
                kinds.append((name, [value]))
            }
        }
        var sentences: [String] = []
        for sentence in kinds.flatMap({ meanings(of: $0.name, $0.values) }) where !sentences.contains(sentence) {
            sentences.append(sentence)
        }
        return sentences.joined(separator: " ")
    }

    private static func meanings(of name: String, _ values: [String]) -> [String] {
        switch name {
        case "--read", "--write", "--execute", "--write-execute": [use(name, of: values)] + warning(values)
        case "--allow": values.map(meaning(ofAllowance:))
        case "--allow-line": ["The kernel then performs these calls for the program."]
        case "--env": variables(values)
        case "--allow-host":
            ["The program can then send everything that it reads to \(hosts(values))."]
        case "--allow-port":
            ["The program can then connect to these ports of this machine: \(values.joined(separator: ", "))."]
        case "--publish": ["Programs of this machine can then connect to the program."]
        case "--timeout": ["The program can then run longer."]
        case "--unprotect":
            [
                "The program can then change files whose commands your other programs execute (group "
                    + values.joined(separator: ", ") + ")."
            ]
        case "--hide": ["The program then neither reads nor changes what matches."]
        case "--protect": ["The program then does not change what matches."]
        default: ["The program can then use more of this machine."]
        }
    }

    private static func meaning(ofAllowance name: String) -> String {
        (try? PolicyFragment.shipped(name))?.means ?? "This version of Annex does not say what that means."
    }

    private static func hosts(_ values: [String]) -> String {
        values.map { (try? HostRule($0))?.words ?? "\(Escaped($0))" }.joined(separator: ", ")
    }

    // MARK: - Paths

    private static func use(_ name: String, of paths: [String]) -> String {
        let files = paths.count { isFile($0) }
        let isOfFiles = files == paths.count
        let what =
            switch files {
            case 0: "everything there"
            case 1 where isOfFiles: "this file"
            case _ where isOfFiles: "these files"
            default: "these files, and everything in these directories"
            }
        let it = files < 2 ? "it" : "them"
        return switch name {
        case "--read": "The program can then read \(what)."
        case "--write": "The program can then read\(isOfFiles ? " and change" : ", change and delete") \(what)."
        case "--execute": "The program can then read \(what), and run \(it)."
        default: "The program can then change \(what), and run what it wrote."
        }
    }

    private static func isFile(_ path: String) -> Bool {
        // The program may have chosen an absolute path. So it is looked up as any path that a program names.
        HostLookup.isFile(at: path.hasPrefix("/") ? path : GivenPaths.resolved(path) ?? "/")
    }

    private static func warning(_ paths: [String]) -> [String] {
        let secret = paths.count { isSecret($0) }
        if secret == 0 { return [] }
        return [(secret == paths.count ? "Such files" : "Some of these files") + " usually hold keys or passwords."]
    }

    private static func isSecret(_ path: String) -> Bool {
        let real =
            path.hasPrefix("/")
            ? HostLookup { _ in false }.trail(path).last ?? path : GivenPaths.resolved(path) ?? path
        return PathText.parts(real).contains { secrets.contains(String($0)) }
    }

    // MARK: - Variables

    /// Variables that make linkers, shells and interpreters execute code.
    private static let loading: Set<String> = [
        "PATH", "BASH_ENV", "ENV", "PROMPT_COMMAND", "PERL5OPT", "PERL5LIB", "PERL5DB", "RUBYOPT", "RUBYLIB",
        "NODE_OPTIONS", "NODE_PATH", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH",
        "LUA_INIT", "LUA_PATH", "LUA_CPATH", "EDITOR", "VISUAL", "PAGER", "MAKEFLAGS", "RUSTC_WRAPPER", "CC", "CXX",
    ]
    private static let loadingPrefixes = ["LD_", "PYTHON", "GIT_", "GCONV_"]

    private static func variables(_ values: [String]) -> [String] {
        let names = values.map { $0.prefix { $0 != "=" } }
        let copied = zip(values, names).filter { $0.0.count == $0.1.count }.map(\.1)
        let codes = names.filter { name in
            loading.contains(String(name)) || loadingPrefixes.contains { name.hasPrefix($0) }
        }
        var sentences: [String] = []
        if !copied.isEmpty {
            let list = copied.joined(separator: ", ")
            sentences.append("The program then gets your value of \(list), which may be a password or another secret.")
        }
        if copied.count < values.count { sentences.append("The program then gets the values that are shown.") }
        if !codes.isEmpty {
            sentences.append("\(codes.joined(separator: ", ")) can name code that the program then executes.")
        }
        return sentences
    }
}
