public import AnnexLinux
internal import AnnexNames
public import AnnexPolicy

/// One kind of denial, however often it occurred. The subject of a denial is either a system call that seccomp
/// answered, or a path of the host that the program cannot use.
public struct Denial: Sendable, Hashable {
    /// The thing that was denied.
    public enum Subject: Sendable, Hashable {
        /// The call itself, with its arguments.
        case call(CallUse)
        /// A path that an allowed call named.
        case path(DeniedPath)
        /// A machine that the program asked for by its name, or to which it wanted to connect.
        case host(DeniedHost)
    }

    /// The result that the program got.
    public enum Answer: Sendable, Hashable {
        /// The call failed with this errno, and the program continued.
        case denied(errno: Int32)
        /// The process was killed.
        case ended
        /// The call was performed, because the sandbox only reports. An enforcing sandbox would fail the call with this
        /// errno. If the errno is nil, an enforcing sandbox would kill the process.
        case passed(errno: Int32?)
    }

    public let subject: Subject
    /// The kernel's name of the call, for example `socket`.
    public let call: String
    /// The call as text for display, with its arguments decoded and escaped: `socket(AF_INET, SOCK_STREAM, 0)`.
    public let text: String
    public let answer: Answer
    /// The layers that deny the call or path. Each layer would be sufficient by itself. The first layer in this list
    /// gave the answer.
    public let layers: [SandboxLayer]
    /// The line of the policy that decides this denial; nil if no line covers it.
    public let policyLine: String?
    /// The reason that the policy states on that line.
    public let reason: String?
    /// What would allow the call or path; nil if nothing would.
    public let remedy: Remedy?
    /// The thread that made the denied call at the first occurrence.
    public let caller: Caller
    /// Whether a rule of the policy denies the call by name (`refuse`), because programs usually work without the
    /// call. In the mode `enforce`, such a denial is recorded only if the rule says so (`report: on`). Quiet denials
    /// do not count for the limit `denials`.
    public internal(set) var isQuiet = false
    /// How often the denial occurred up to now.
    public internal(set) var count = 1
    /// The times of the first and the last occurrence, counted from the start of the sandbox's listener.
    public internal(set) var first: Duration = .zero
    public internal(set) var last: Duration = .zero
    /// The chain of calls at the first occurrence; nil if no backtrace was made.
    public internal(set) var backtrace: Backtrace?

    /// The identity of a kind of denial. Denials with equal keys share one entry.
    package struct Key: Hashable, Sendable {
        let call: String
        let text: String
        let missing: PathRights?

        // For the kernel, a path is a sequence of bytes. `==` of texts would compare by Unicode equivalence instead.
        package static func == (first: Key, second: Key) -> Bool {
            first.call == second.call && PathText.isSame(first.text, as: second.text) && first.missing == second.missing
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(call)
            hasher.combine(Array(text.utf8))
            hasher.combine(missing)
        }
    }

    package var key: Key {
        switch subject {
        case .call: Key(call: call, text: text, missing: nil)
        case .path(let path): Key(call: "", text: path.path, missing: path.missing)
        case .host(let host): Key(call: call, text: host.place, missing: nil)
        }
    }

    /// The same denial with another count.
    package func counted(_ count: Int) -> Denial {
        var copy = self
        copy.count = count
        return copy
    }

    var isOfPath: Bool { if case .path = subject { true } else { false } }
}

/// A path that exists on the host and that the policy does not grant.
public struct DeniedPath: Sendable, Hashable {
    /// The absolute path as the program spelled it, with one exception. If symbolic links of the host lead from a
    /// granted path to a place that is not granted, this is the path of that place. It has the form of `PathText.text`.
    package let path: String
    /// The rights that the call needed. If this set is empty, the call needed only that the path exists.
    public let needed: PathRights
    /// The needed rights that the policy does not grant. This set can be empty although the path is denied. In that
    /// case the path as a whole is missing in the sandbox.
    public let missing: PathRights
    /// Whether the call would have created the file. If true, the directory of the file exists on the host, but the
    /// file itself need not exist.
    public let makesEntry: Bool
    /// The option of `annex run` that would grant the path, in its parts; nil if no option can.
    package let grant: GrantOption?
    /// Whether the path is below a HOME of the program's own, and the file exists only in the caller's home. The option
    /// then names the file there.
    package var isOfHome = false
    /// The option of `annex run` that would grant the path; nil if no option can.
    public var option: String? { grant?.text }

    /// Whether the path is this place, or lies in it.
    package func isWithin(_ place: String) -> Bool { PathText.isPath(path, within: place) }

    /// The path, escaped for display.
    public var shown: Escaped { PathText.shown(path) }
}

/// A machine that the policy does not name.
public struct DeniedHost: Sendable, Hashable {
    /// The machine's name, or its address in text.
    public let host: String
    /// The port of the connection; nil if the program asked for the addresses of the name only.
    public let port: UInt16?
    /// The entry of `network: hosts` that would allow it; nil if none may.
    public let rule: HostRule?
    /// Whether the program is an extension, whose user grants the machines.
    private let isOfExtension: Bool

    /// The option of `annex run` that would allow it; nil if none may, or if the program is an extension.
    public var option: String? { isOfExtension ? nil : rule.map { "--allow-host \($0)" } }

    /// The machine and the port.
    public var place: String {
        let isSix = host.contains(":")
        return port.map { "\(isSix ? "[\(host)]" : host):\($0)" } ?? host
    }

    init(_ refusal: HostRefusal, isOfExtension: Bool) {
        (host, port, rule) = ("\(refusal.host)", refusal.port, refusal.rule)
        self.isOfExtension = isOfExtension
    }
}

/// The thread that made a call.
public struct Caller: Sendable, Hashable {
    /// The thread's number, as the broker's own process sees it; 0 if the broker's process cannot see the thread.
    public let thread: UInt32
    /// The process that the thread belongs to; nil if the kernel did not say.
    public let process: UInt32?
    /// The name of the running executable, escaped, because the process can choose it; nil if it could not be read.
    public let executable: Escaped?

    init(thread: UInt32, process: UInt32? = nil, executable: Escaped? = nil) {
        self.thread = thread
        self.process = process
        self.executable = executable
    }

    /// Asks the kernel about a thread. If the thread's call is no longer held afterwards, the facts may describe
    /// another thread that got the same number.
    init(asking thread: UInt32) {
        guard thread != 0 else {
            self.init(thread: 0)
            return
        }
        let folder = ProcNumber.folder(of: thread)
        let status = ProcessText.read("\(folder)/status").flatMap { ProcessStatus.read($0) }
        let name = ProcessText.read("\(folder)/comm", atMost: 64)?.prefix { $0 != UInt8(ascii: "\n") }
        let process = status.flatMap { ProcNumber.own(Int32(clamping: $0.process)) }.map { UInt32(clamping: $0) }
        self.init(thread: thread, process: process, executable: name.map { Escaped($0, limit: 64) })
    }
}

extension Denial {
    private var isOfHost: Bool {
        if case .host = subject { true } else { false }
    }

    /// One line that says what was denied, to which program and by which layer.
    public var headline: String {
        let layer = layers.first?.title ?? "the sandbox"
        let what: String
        switch subject {
        case .call: what = text
        case .path(let path): what = "\(call == "connect" ? "connect to" : path.want) \(path.shown)"
        case .host(let host): what = "\(call == "connect" ? "connect to" : "find the address of") \(host.place)"
        }
        switch answer {
        case .denied(errno: 0): return "\(what): not performed by \(layer), and answered with 0"
        // What counts about a machine is why no rule allows it.
        case .denied where isOfHost: return "\(what): refused, because \(reason ?? "no rule allows it")"
        case .denied(let errno): return "\(what): denied by \(layer) with \(Errno.name(errno))"
        case .ended: return "\(what): process killed by \(layer)"
        case .passed(let errno?):
            return "\(what): performed; an enforcing sandbox denies it (\(layer), \(Errno.name(errno)))"
        case .passed(nil): return "\(what): performed; an enforcing sandbox kills the process (\(layer))"
        }
    }

    /// The change that would allow the denied call or path: an option of `annex run`, or a policy entry. The text is
    /// escaped. It is nil if no option and no entry may allow the call or path.
    public var remedyText: String? {
        switch subject {
        case .path(let path): if let option = path.option { return Escaped(option, limit: 8_192).description }
        case .host(let host): if let option = host.option { return option }
        case .call: break
        }
        return remedy?.text.map { Escaped($0, limit: 8_192).description }
    }
}

extension DeniedPath {
    /// A verb for the use of the path that was denied.
    fileprivate var want: String {
        if makesEntry { return "make" }
        if missing.contains(.write) { return "write" }
        if missing.contains(.read) { return "read" }
        if missing.contains(.execute) { return "execute" }
        return "see"
    }
}
