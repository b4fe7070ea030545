package import AnnexLaunch
package import AnnexLinux
package import AnnexPolicy
internal import Glibc
internal import Synchronization

/// Runs trials under any policy and with any layers. In a trial, a program performs the steps of a script and reports
/// their results. Each trial runs in its own sandbox.
///
/// This object keeps one launcher, and one folder that holds the program of all trials. Every user can reach this
/// folder. When the object is destroyed, the launcher is shut down and the folder is removed.
package final class TrialSandbox: Sendable {
    /// The time limit of a trial. It is long, because 100,000 reported refusals take much time. The limit only has to
    /// end a trial that hangs.
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

    /// The version of Landlock in force; 0 if the kernel has no Landlock.
    var landlockABI: Int { launcher.landlock?.abi ?? 0 }

    /// The path of the trial's program on the host.
    package var programPath: String { folder.path + "/" + TrialFolder.program }

    deinit {
        launcher.shutDown()
    }

    /// Runs a script and returns when its process is gone.
    ///
    /// - Parameters:
    ///   - user: the user that the program gets if the caller is root. For an ordinary user, `ofPrograms` also gives the
    ///     program the caller's own numbers.
    ///   - gifts: additional descriptors for the program. Their numbers begin at 5.
    ///   - watchdog: the time limit. The time counts from the program's own first step. A program that exceeds the
    ///     limit is killed.
    ///   - awaitsSilence: whether to return only when no process holds a writing end of the pipe for answers any
    ///     more. The program reports its results through this pipe. If the calling process forks during the run, its
    ///     child holds such an end for a moment. A descendant of the program that outlives the sandbox holds such an
    ///     end as long as it lives.
    /// - Throws: an error if the trial cannot be prepared.
    package func run(
        _ script: TrialScript, under policy: Policy, layers: SandboxLayers = .all, denials: DenialMode = .enforce,
        user: SandboxConfiguration.User = .ofItsOwn,
        gifts: consuming DescriptorList = DescriptorList(), watchdog: Duration = TrialSandbox.watchdog,
        awaitsSilence: Bool = false
    ) async throws(TrialFailure) -> TrialOutcome {
        try await run(
            script, under: policy, layers: layers, denials: denials, user: user, gifts: gifts, watchdog: watchdog,
            pause: nil, awaitsSilence: awaitsSilence)
    }

    /// Runs a script with a pause: the host performs an action once while the program waits. If the program ends
    /// before it waits, the action is skipped.
    func run(
        _ script: TrialScript, under policy: Policy, layers: SandboxLayers, denials: DenialMode = .enforce,
        user: SandboxConfiguration.User = .ofItsOwn,
        gifts: consuming DescriptorList, watchdog: Duration = TrialSandbox.watchdog, pause: TrialPause?,
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
        var configuration = try configuration(policy, layers: layers, given: given)
        configuration.denials = denials
        configuration.user = user
        // Trials cause refusals on purpose. The outcome lists the refusals. Logging is off, because the refusals would
        // flood the log.
        configuration.isLogged = false
        let run = TrialRun.begin(configuration, with: launcher, limits: policy.limits, watchdog: watchdog)
        var bytes: [UInt8] = []
        if let pause { bytes = await Self.perform(pause, at: run, answers: reading) }
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

    /// Waits until the program has reported the result of the pause's step. Then performs the action, and lets the
    /// program continue.
    /// - Returns: the answers that arrived before the host performed the action.
    private static func perform(_ look: TrialPause, at run: TrialRun, answers: borrowing Descriptor) async -> [UInt8] {
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
        _ policy: Policy, layers: SandboxLayers, given: consuming DescriptorList
    ) throws(TrialFailure) -> SandboxConfiguration {
        let numbers = (0..<given.count).map { Int32($0) + 3 }
        let objects = try folder.open()
        // A trial has no caller whose places could be found. Its program gets the calls that reach such places.
        var configuration = SandboxConfiguration(
            policy: policy.finding([]), bundle: objects.bundle, executable: objects.program,
            executablePath: TrialFolder.program, name: "annex-trial", gifts: given, numbers: numbers)
        configuration.layers = layers
        try Self.system { () throws(SystemError) in try launcher.keepFiles(of: &configuration, in: folder.path) }
        return configuration
    }

    /// The script as a sealed memory file. The file's offset is at its start.
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

    /// The bytes that the answer pipe holds now. A descendant that outlived the program may still hold the writing end.
    /// So this function does not wait for the end of the stream.
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
