import AnnexLaunch
import AnnexPolicy
import AnnexSandbox
import Glibc

/// The hint about a TCP port of this machine that the program wanted to reach, or about a port of its own at which it
/// wanted to be reached.
///
/// The program's own error names the port, or one of its arguments does.
struct PortHint {
    let errors: StatedErrors
    /// The program's arguments.
    let arguments: [String]
    let policy: Policy
    let denials: [Denial]
    let options: RunOptions

    /// Nil if no port explains the failure.
    var hint: RunHint? {
        switch policy.network {
        case .none: hasNoNetwork ? server ?? client ?? elsewhere : nil
        case .loopback, .hosts: refused
        case .client, .host: nil
        }
    }

    // MARK: - Without a network

    private var hasNoNetwork: Bool {
        denials.contains { denial in
            guard denial.call == "socket", case .call(let use) = denial.subject, let domain = use.arguments.first else {
                return false
            }
            return [AF_INET, AF_INET6].contains(Int32(truncatingIfNeeded: domain))
        }
    }

    /// The program wanted to listen.
    private var server: RunHint? {
        guard isServer else { return nil }
        guard let port = NamedPorts.listening(in: errors.text, arguments) else {
            return RunHint(
                line: "the program has no network: to let this machine connect to the port at which it listens, add "
                    + "--publish PORT with the number of this port")
        }
        if port < Self.firstFree { return low(port) }
        let choice = RunChoice("--publish", "\(port)")
        return RunHint(
            line: "the program has no network: to let this machine connect to its port \(port), add \(choice.shown)",
            choices: [choice])
    }

    private var isServer: Bool {
        errors.mention("listen", "http.server", "http/server.py", "server_bind", "socketserver.py", "runserver")
    }

    /// The program wanted to connect to this machine.
    private var client: RunHint? {
        guard let port = wanted else { return nil }
        let choice = RunChoice("--allow-port", "\(port)")
        if ListeningPorts.ofThisMachine().contains(port) {
            return RunHint(
                line: "port \(port) is one of this machine, and the program has no network: add \(choice.shown)",
                choices: [choice])
        }
        let other = RunChoice("--allow", "loopback", purpose: "if its own processes talk to each other")
        let choices = [
            RunChoice(choice.options, purpose: "for a server of this machine, which must listen there"), other,
        ]
        return RunHint(
            line: "the program has no network, and wanted to reach port \(port): add "
                + choices.map(\.stated).joined(separator: ", or "), choices: choices)
    }

    /// The program wanted to connect to another machine.
    private var elsewhere: RunHint? {
        let rules = WantedHosts(errors: errors.text, arguments: arguments).rules
        guard !rules.isEmpty else { return nil }
        let choices = [
            RunChoice(rules.flatMap { ["--allow-host", $0.description] }),
            RunChoice("--allow", "network", purpose: "for every machine, this one too"),
        ]
        return RunHint(
            line: "the program has no network: add " + choices.map(\.stated).joined(separator: ", or "),
            choices: choices)
    }

    /// The port of this machine that the program named.
    private var wanted: UInt16? { NamedPorts.ofThisMachine(in: errors.text) ?? NamedPorts.ofThisMachine(in: words) }

    private var words: String { arguments.joined(separator: " ").lowercased() }

    // MARK: - With a network of its own

    private var refused: RunHint? {
        if errors.states(EACCES), !isLogin, isServer || errors.mention("bind"), let port = lowPort { return low(port) }
        let isRefused = errors.mention("refused", "connect", "permission denied", "reset")
        if isRefused, !isServer, let port = wanted, !options.ports.allowed.contains(port),
            ListeningPorts.ofThisMachine().contains(port)
        {
            let choice = RunChoice("--allow-port", "\(port)")
            return RunHint(
                line:
                    "port \(port) is one of this machine, and the program has a network of its own: add \(choice.shown)",
                choices: [choice])
        }
        return barred
    }

    /// Landlock refuses ports without a report, so only the program's own error tells of it.
    private var barred: RunHint? {
        guard !options.ports.isEmpty, errors.states(EACCES), !isLogin else { return nil }
        if let port = publishedLowPort { return low(port) }
        if options.allow.contains("loopback") { return nil }
        if isServer, let port = NamedPorts.listening(in: errors.text, arguments),
            !options.ports.published.contains(where: { $0.program == port })
        {
            let choice = RunChoice("--publish", "\(port)")
            return RunHint(
                line: "its port \(port) is not published: to let this machine connect to it, add \(choice.shown)",
                choices: [choice])
        }
        return RunHint(
            line: "perhaps it used a TCP port of its own that is neither allowed nor published: add --allow loopback",
            choices: [RunChoice("--allow", "loopback")])
    }

    /// A machine that refuses a login prints the words of a port that Landlock refuses.
    private var isLogin: Bool { errors.mention("publickey", "password") }

    // MARK: - Ports below 1024

    /// The first port that needs no capability.
    private static let firstFree: UInt16 = 1_024

    /// The port below 1024 at which the program wanted to listen.
    private var lowPort: UInt16? {
        let named = NamedPorts.listening(in: errors.text, isServer ? arguments : [])
        return named.map { $0 < Self.firstFree ? $0 : nil } ?? publishedLowPort
    }

    private var publishedLowPort: UInt16? { options.ports.published.first { $0.program < Self.firstFree }?.program }

    /// The hint about a port below 1024. Its number plus 8000 is what people often use in place of it: 8080 for 80, and
    /// 8443 for 443.
    private func low(_ port: UInt16) -> RunHint {
        let other = port + 8_000
        let given = options.ports.published.first { $0.program == port }
        // The same ports of this machine are for root only.
        let machine = given?.machine ?? (geteuid() == 0 ? port : other)
        let instead = given.map { " instead of \(Self.publishing($0.program, at: $0.machine))" } ?? ""
        return RunHint(
            line: "ports below 1024 need a capability that no option gives: "
                + "\(given == nil ? "add" : "use") \(Self.publishing(other, at: machine))\(instead) and let the "
                + "program listen at \(other)")
    }

    private static func publishing(_ program: UInt16, at machine: UInt16) -> String {
        "--publish " + (program == machine ? "\(program)" : "\(machine):\(program)")
    }
}

/// Finds numbers of TCP ports in texts of programs. The texts are in lower case.
enum NamedPorts {
    private static let machine = ["127.0.0.1", "localhost", "[::1]", "::1"]
    private static let any = ["0.0.0.0", "[::]", "::", "*", "port"]

    /// The first port that follows a name or address of this machine.
    static func ofThisMachine(in text: String) -> UInt16? { port(in: text, after: machine) }

    /// The port at which a program wanted to listen.
    static func listening(in text: String, _ arguments: [String]) -> UInt16? {
        if let port = port(in: text, after: any + machine) { return port }
        let words = arguments.joined(separator: " ").lowercased()
        return port(in: words, after: any + machine) ?? arguments.compactMap(number).last
    }

    private static func port(in text: String, after names: [String]) -> UInt16? {
        for name in names {
            for place in text.ranges(of: name) {
                if let port = port(atStartOf: text[place.upperBound...].prefix(mostBetween)) { return port }
            }
        }
        return nil
    }

    /// The most characters that are looked at after a name.
    private static let mostBetween = 40

    /// The number that follows signs between an address and its port, as in `localhost (127.0.0.1), port 80` and `:80`.
    private static func port(atStartOf text: Substring) -> UInt16? {
        var rest = text
        while let first = rest.first {
            // An address of IPv6 follows.
            if rest.hasPrefix("::") { return nil }
            if rest.hasPrefix("port") {
                rest = rest.dropFirst(4)
            } else if "\"'):,(|] =".contains(first) {
                rest = rest.dropFirst()
            } else {
                break
            }
        }
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        let next = rest.dropFirst(digits.count).first
        // A number with a full stop is the beginning of another address.
        guard next != ".", next?.isLetter != true else { return nil }
        return number(String(digits))
    }

    private static func number(_ text: String) -> UInt16? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(text), port > 0
        else {
            return nil
        }
        return port
    }
}
