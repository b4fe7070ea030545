package import AnnexLinux
package import AnnexPolicy
package import AnnexSandbox
internal import Glibc
internal import Synchronization

/// Makes trials: each in a sandbox of its own, under any policy, with the layers that are asked for.
///
/// It keeps one launcher and one folder with the program, in a place that every user can reach; both are gone with it.
package final class TrialSandbox: Sendable {
    /// How long a trial may take: only against one that hangs. A hundred thousand refusals, each told, take their time.
    package static let watchdog = Duration.seconds(600)

    let launcher: Launcher
    private let folder: TrialFolder

    package init() throws(TrialFailure) {
        folder = try TrialFolder()
        do throws(SandboxError) {
            launcher = try Launcher.start()
        } catch {
            throw TrialFailure("\(error)")
        }
    }

    /// The version of Landlock that holds here; 0 where the kernel has none.
    var landlockABI: Int { launcher.landlock?.abi ?? 0 }

    /// Where its program is on the host.
    package var programPath: String { folder.path + "/" + TrialFolder.program }

    deinit {
        launcher.shutDown()
    }

    /// Runs a script; comes back when its process is gone.
    /// - Parameters:
    ///   - gifts: descriptors that it has besides its own, numbered from 5 on.
    ///   - watchdog: past this it is killed, counted from its first own step.
    ///   - awaitsSilence: comes back only when every other end of its pipe is closed. What this process forks meanwhile
    ///     holds one too, for a moment; a descendant that outlived its sandbox does as long as it lives.
    package func run(
        _ script: TrialScript, under policy: Policy, layers: SandboxLayers = .all, denials: DenialMode = .enforce,
        gifts: consuming DescriptorList = DescriptorList(), watchdog: Duration = TrialSandbox.watchdog,
        awaitsSilence: Bool = false
    ) async throws(TrialFailure) -> TrialOutcome {
        try await run(
            script, under: policy, layers: layers, denials: denials, gifts: gifts, watchdog: watchdog, look: nil,
            awaitsSilence: awaitsSilence)
    }

    /// The same with a look, taken once while the program waits; not where it ended before.
    func run(
        _ script: TrialScript, under policy: Policy, layers: SandboxLayers, denials: DenialMode = .enforce,
        gifts: consuming DescriptorList, watchdog: Duration = TrialSandbox.watchdog, look: TrialLook?,
        awaitsSilence: Bool = false
    ) async throws(TrialFailure) -> TrialOutcome {
        let pipe = try Self.system { () throws(SystemError) in try DescriptorPair.pipe(nonBlocking: false).list() }
        var ends = pipe
        guard let reading = ends.takeFirst(), let writing = ends.takeFirst() else {
            throw TrialFailure("a pipe without ends")
        }
        try Self.system { () throws(SystemError) in try reading.stopBlocking() }
        let request = try Self.request(script)
        var given = DescriptorList(request)
        given.append(writing)
        while let gift = gifts.takeFirst() { given.append(gift) }
        var configuration = try configuration(policy, layers, given)
        configuration.denials = denials
        // What is refused here is refused on purpose: the outcome has it, and a log would drown in it.
        configuration.isLogged = false
        let run = TrialRun.begin(configuration, with: launcher, limits: policy.limits, watchdog: watchdog)
        var bytes: [UInt8] = []
        if let look { bytes = await Self.look(look, at: run, reading) }
        let running = await run.ended()
        let died = MonotonicClock.now()
        var (rest, isComplete) = Self.drain(reading)
        while awaitsSilence, !isComplete {
            try? await Task.sleep(for: .milliseconds(2))
            let (more, isOver) = Self.drain(reading)
            (rest, isComplete) = (rest + more, isOver)
        }
        return TrialOutcome(
            answers: TrialAnswers(bytes + rest), isComplete: isComplete, end: running.end, report: running.report,
            isOverdue: running.isOverdue, silence: .nanoseconds(Int64(clamping: MonotonicClock.now() - died)))
    }

    /// Waits until the program told what it came to, looks, and lets it go on.
    /// - Returns: what it told by then.
    private static func look(_ look: TrialLook, at run: TrialRun, _ answers: borrowing Descriptor) async -> [UInt8] {
        var bytes: [UInt8] = []
        while !run.hasEnded {
            bytes += drain(answers).bytes
            let told = TrialAnswers(bytes)
            if told.results[look.step] != nil {
                await look.body(run, told)
                break
            }
            try? await Task.sleep(for: .milliseconds(2))
        }
        look.release()
        return bytes
    }

    private func configuration(
        _ policy: Policy, _ layers: SandboxLayers, _ given: consuming DescriptorList
    ) throws(TrialFailure) -> SandboxConfiguration {
        let numbers = (0..<given.count).map { Int32($0) + 3 }
        let objects = try folder.open()
        var configuration = SandboxConfiguration(
            policy: policy, bundle: objects.bundle, executable: objects.program, executablePath: TrialFolder.program,
            name: "annex-trial", gifts: given, numbers: numbers)
        configuration.layers = layers
        return configuration
    }

    /// The script as sealed memory, ready to be read from its beginning.
    static func request(_ script: TrialScript) throws(TrialFailure) -> Descriptor {
        let bytes = try script.encoded()
        return try system { () throws(SystemError) in
            let memory = try Descriptor.memfd("annex-trial", size: 0)
            try memory.writeAll(bytes)
            _ = lseek(memory.number, 0, SEEK_SET)
            try memory.addSeals(.immutable)
            return memory
        }
    }

    /// What the program left in its pipe. A descendant that outlived it may still hold the other end: its silence is
    /// not waited for.
    private static func drain(_ pipe: borrowing Descriptor) -> (bytes: [UInt8], isComplete: Bool) {
        var bytes: [UInt8] = []
        while let piece = try? pipe.readSome(atMost: 1 << 16) {
            if piece.isEmpty { return (bytes, true) }
            bytes += piece
        }
        return (bytes, false)
    }

    static func system<Result: ~Copyable>(
        _ body: () throws(SystemError) -> Result
    ) throws(TrialFailure) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw TrialFailure(error)
        }
    }
}
