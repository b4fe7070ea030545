import AnnexHost

/// One try of the misbehaving extension, in a fresh process: what it tried, what it got, what the host was told.
struct Trial {
    struct Result {
        let conduct: Conduct
        /// What stood in the way: a layer, a limit, the checks of the channel.
        let stoppedBy: String
        /// Why the extension ended, as the host was told.
        let end: Termination
        /// What the extension itself had to say, escaped.
        let words: [Escaped]
        /// Descriptors that the host has more than before; anything but none is a leak.
        let leakedDescriptors: Int
        let took: Duration
        /// Whether it got what it wanted.
        let isHeld: Bool
    }

    let conduct: Conduct
    /// What is begun in here is let go of before descriptors are counted.
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

    /// Shorter than the extension point's, so that nobody has to watch an extension that never answers for long; the
    /// others are to end by what they do.
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

    /// An honest try at reading files ends with an answer that lists what was refused; all else must not end well.
    private func isHeld(_ end: Termination, _ answer: [ExtensionItem]) -> Bool {
        guard conduct == .readsHostFiles else { return end.isFailure && end.reason != .launchFailed }
        guard case .integer(let read)? = answer.first?.userInfo["filesRead"] else { return end.isFailure }
        return read == 0
    }

    /// Which part of Annex an end of this kind comes from.
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
