// The program of a containing app. Its arguments are the folder of private directories, a command, the group, and the
// values for the command. The folder "-" is the standard place. If the only argument is a URL of the app, the program
// writes the URL into the defaults of its group.
import AnnexApp
import Glibc

enum SharesAsApp {
    static func run() async {
        do throws(PortalError) {
            print(try await act())
        } catch {
            print("\(error.code): \(error)")
            exit(1)
        }
    }

    private static let arguments = Array(CommandLine.arguments.dropFirst())

    private static func open() throws(PortalError) -> String {
        let app = try ContainingApp.start()
        try SharedDefaults(suiteName: app.groups.first ?? "").set(
            .string(app.openedURL?.text ?? "none"), forKey: "opened")
        return "opened"
    }

    private static func write(_ text: String, to path: String) -> String {
        guard let file = fopen(path, "w") else { return "errno \(errno)" }
        fputs(text, file)
        fclose(file)
        return "written"
    }

    private static func act() async throws(PortalError) -> String {
        if arguments.count == 1 { return try open() }
        try ContainingApp.start(privateDirectories: arguments[0] == "-" ? nil : arguments[0])
        let group = try AppGroup(arguments[2])
        let defaults = SharedDefaults(group)
        switch arguments[1] {
        case "where": return group.path
        case "writes": return write(arguments[4], to: group.path + "/" + arguments[3])
        case "sets":
            try defaults.set(.string(arguments[4]), forKey: arguments[3])
            return "set"
        case "gets": return defaults.string(forKey: arguments[3]) ?? "none"
        case "adds":
            for _ in 0..<(Int(arguments[4]) ?? 0) {
                try defaults.update { [arguments[3]: .integer(($0[arguments[3]]?.integer ?? 0) + 1)] }
            }
            return "\(defaults.integer(forKey: arguments[3]) ?? 0)"
        case "awaits":
            let changes = defaults.changes()
            try defaults.set(.bool(true), forKey: "ready")
            for await keys in changes where keys != ["ready"] {
                return keys.sorted().map { "\($0)=\(defaults.string(forKey: $0) ?? "none")" }.joined(separator: " ")
            }
            return "ended"
        case "copies": return "\(try Pasteboard(of: group).set(arguments[3]))"
        case "pastes": return try Pasteboard(of: group).string() ?? "none"
        case "hides":
            try SecretStore(of: group).set(Array(arguments[4].utf8), forKey: arguments[3])
            return try SecretStore(of: group).keySource
        case "reveals":
            return try SecretStore(of: group).secret(forKey: arguments[3]).map { String(decoding: $0, as: UTF8.self) }
                ?? "none"
        default: return "no such conduct"
        }
    }
}
