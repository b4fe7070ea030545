import AnnexHost
import ArgumentParser
import Glibc

/// One attempt of the misbehaving extension in a new process, with its result and the end that the host received.
struct Trial {
    struct Result {
        let conduct: DemoConduct
        /// The part of Annex that stopped the attempt: a layer, a limit, or the checks of the channel.
        let stoppedBy: String
        /// Why the extension ended, according to the host.
        let end: Termination
        /// The extension's own answers, escaped.
        let words: [Escaped]
        /// How many more descriptors the host has than before the attempt. Any other number than 0 is a leak.
        let leakedDescriptors: Int
        let took: Duration
        /// Whether the attempt was stopped.
        let isHeld: Bool
    }

    let conduct: DemoConduct
    /// Opens the host. The host and everything that it has begun are released before descriptors are counted.
    let openHost: () throws -> AnnexHost

    func run(countingFrom descriptors: inout OpenDescriptors) async throws -> Result {
        let clock = ContinuousClock()
        let begun = clock.now
        let (end, answer) = try await attempt(on: openHost())
        let took = clock.now - begun
        let isHeld = isHeld(end, answer: answer)
        return Result(
            conduct: conduct, stoppedBy: isHeld ? Self.layer(behind: end) : "nothing", end: end,
            words: answer.compactMap { $0.contentText.map { Escaped($0) } },
            leakedDescriptors: await descriptors.newlyLeaked(), took: took, isHeld: isHeld)
    }

    /// The time limit of the session; nil for the limit of the extension point. An extension that never answers gets a
    /// shorter limit, so the user does not wait long. Every other extension must end because of its own conduct.
    private var timeLimit: Duration? { conduct == .neverAnswers ? .seconds(2) : nil }

    private func attempt(on host: AnnexHost) async -> (Termination, [ExtensionItem]) {
        do throws(HostError) {
            let session = try await host.begin(conduct.extension, timeLimit: timeLimit)
            let request = ExtensionItem(userInfo: ["conduct": .string(conduct.rawValue)])
            do throws(HostError) {
                let answer = try await session.request([request], accepting: .sealedMemory(count: 1, bytes: 1 << 20))
                return (await session.complete(), answer)
            } catch {
                return (await session.cancel(), [])
            }
        } catch {
            if case .ended(let end) = error { return (end, []) }
            return (Termination(.launchFailed, detail: .step(LaunchStep("request", cause: "\(error)"))), [])
        }
    }

    /// Whether the attempt was stopped. An attempt is stopped if the extension ends in a failure. The extension that
    /// tries to read files may also answer. Its attempt is stopped if the answer says that it has read no file.
    private func isHeld(_ end: Termination, answer: [ExtensionItem]) -> Bool {
        guard conduct == .readsHostFiles else { return end.isFailure && end.reason != .launchFailed }
        guard case .integer(let read)? = answer.first?.userInfo["filesRead"] else { return end.isFailure }
        return read == 0
    }

    /// The part of Annex that ended the extension.
    private static func layer(behind end: Termination) -> String {
        switch end.reason {
        case .deniedOperation: "seccomp: the call is not allowed"
        case .memoryLimit: "the memory limit"
        case .launchLimit: "the launch limit"
        case .timeLimit: "the time limit"
        case .outputLimit: "the output limit"
        case .messageBudget: "the channel's budget"
        case .protocolViolation: "the channel's checks"
        case .crashed, .exited: "its own process, where the crash stays"
        case .completed, .cancelled: "a root of its own, without those files"
        default: end.reason.rawValue
        }
    }
}

/// The attempts of the misbehaving extension. The raw values are the words in its request.
enum DemoConduct: String, CaseIterable, ExpressibleByArgument {
    case readsHostFiles
    case opensSocket
    case forks
    case executes
    case takesTooMuchMemory
    case hoardsNamelessFiles
    case neverAnswers
    case neverSaysHello
    case sendsMalformedMessage
    case floods
    case floodsOutput
    case crashes
    case aborts
    case traps
    case handsOverDescriptor

    /// A description of the attempt, for a person.
    var text: String {
        switch self {
        case .readsHostFiles: "reads files of the host"
        case .opensSocket: "opens a network socket"
        case .forks: "starts a process of its own"
        case .executes: "executes /bin/sh"
        case .takesTooMuchMemory: "takes all the memory it can get"
        case .hoardsNamelessFiles: "hides memory in files without a name"
        case .neverAnswers: "never answers"
        case .neverSaysHello: "never says hello"
        case .sendsMalformedMessage: "writes nonsense into the channel"
        case .floods: "floods the host with messages"
        case .floodsOutput: "floods its output"
        case .crashes: "writes through a null pointer"
        case .aborts: "calls abort()"
        case .traps: "runs into a Swift trap"
        case .handsOverDescriptor: "hands over an unexpected descriptor"
        }
    }

    /// The identifier of the extension that behaves in this way. Only `neverSaysHello` needs its own program. In all
    /// other cases, the request tells the same program how to behave.
    var `extension`: String {
        self == .neverSaysHello ? ExampleApp.silent : ExampleApp.misbehaver
    }
}

/// Finds descriptor leaks. For this, it compares the number of open descriptors with the expected number.
struct OpenDescriptors {
    private var expected: Int

    /// Counts the descriptors. It waits until their number has not changed for a tenth of a second.
    init() async {
        expected = Self.count()
        var same = 0
        for _ in 0..<500 where same < 5 {
            try? await Task.sleep(for: .milliseconds(20))
            let now = Self.count()
            same = now == expected ? same + 1 : 0
            expected = now
        }
    }

    /// How many more descriptors are open than expected. A leak is reported once. After that, the higher number is
    /// expected.
    ///
    /// Other threads close descriptors late, some of them after the end was reported. So a smaller number than expected
    /// is not a leak. A larger number is a leak only if it stays for ten seconds.
    mutating func newlyLeaked() async -> Int {
        var now = Self.count()
        for _ in 0..<500 where now > expected {
            try? await Task.sleep(for: .milliseconds(20))
            now = Self.count()
        }
        defer { expected = max(expected, now) }
        return max(0, now - expected)
    }

    private static func count() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }
}
