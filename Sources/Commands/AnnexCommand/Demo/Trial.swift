import AnnexHost

/// One attempt of the misbehaving extension, in a fresh process: its attempt, its result, and the end that the host
/// got.
struct Trial {
    struct Result {
        let conduct: Conduct
        /// What stopped the attempt: a layer, a limit, or the checks of the channel.
        let stoppedBy: String
        /// Why the extension ended, according to the host.
        let end: Termination
        /// The extension's own words, escaped.
        let words: [Escaped]
        /// How many more descriptors the host has than before. Anything but 0 is a leak.
        let leakedDescriptors: Int
        let took: Duration
        /// Whether the attempt was stopped.
        let isHeld: Bool
    }

    let conduct: Conduct
    /// Opens the host. Everything that it begins is released before descriptors are counted.
    let openHost: () throws -> AnnexHost

    func run(countingFrom descriptors: inout OpenDescriptors) async throws -> Result {
        let clock = ContinuousClock()
        let begun = clock.now
        let (end, answer) = try await attempt(on: openHost())
        let took = clock.now - begun
        let isHeld = isHeld(end, answer)
        return Result(
            conduct: conduct, stoppedBy: isHeld ? Self.layer(behind: end) : "nothing", end: end,
            words: answer.compactMap { $0.contentText.map { Escaped($0) } },
            leakedDescriptors: await descriptors.newlyLeaked(), took: took, isHeld: isHeld)
    }

    /// Shorter than the extension point's limit, so that a viewer need not wait long for an extension that never
    /// answers. Every other extension must end because of its own conduct.
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

    /// Whether the attempt was stopped. An extension that tries to read files answers with a list of denied paths;
    /// every other attempt must end in a failure.
    private func isHeld(_ end: Termination, _ answer: [ExtensionItem]) -> Bool {
        guard conduct == .readsHostFiles else { return end.isFailure && end.reason != .launchFailed }
        guard case .integer(let read)? = answer.first?.userInfo["filesRead"] else { return end.isFailure }
        return read == 0
    }

    /// The part of Annex that caused this end.
    private static func layer(behind end: Termination) -> String {
        switch end.reason {
        case .deniedOperation: "seccomp: not on its list of calls"
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
