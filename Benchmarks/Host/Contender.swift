import AnnexChannel
import AnnexHost
import CBenchDriver
import Glibc

/// The measured ways to call an extension.
enum Contender: String, CaseIterable {
    case raw = "annex-raw"
    case typed = "annex-typed"
    case session = "annex-session"
    case waitingSession = "annex-session-wait"
    case async = "annex-async"
    case resumed = "annex-async-executor"
    case dedicated = "annex-async-dedicated"
    case led = "annex-async-led"
    case sealed = "annex-sealed"
    case items = "annex-items"
    case asyncItems = "annex-items-async"
    case yieldingItems = "annex-items-yield"
    case keystroke = "annex-keystroke"
    case loadingKeystroke = "annex-keystroke-loading"
    case blockedKeystroke = "annex-keystroke-blocked"
    case loads = "annex-loads"
    case blockingLoads = "annex-loads-blocking"
    case file = "annex-item-file"
    case offers = "annex-offers"
    case firstOffers = "annex-offers-first"
    case launch = "annex-launch"
    case signedLaunch = "annex-launch-signed"
    case standby = "annex-standby"
    case clone = "annex-clone"
    case denied = "annex-denied"
    case violation = "annex-violation"
    case memory = "annex-memory"
    case crowd = "annex-launch-100"
    case besideCrowds = "annex-raw-launching"
    case besideFlood = "annex-raw-flooded"
    case launchBesideFlood = "annex-launch-flooded"

    var about: String {
        switch self {
        case .raw: "a sandboxed extension, synchronous, bytes"
        case .typed: "a sandboxed extension, synchronous, messages of a type"
        case .session: "a sandboxed extension, session.call: async, messages of a type, the extension point's limit"
        case .waitingSession: "the same, session.callAndWait: synchronous"
        case .async: "a sandboxed extension, async"
        case .resumed: "a sandboxed extension, async, on the channel's executor"
        case .dedicated: "a sandboxed extension, async, on an executor whose thread reads this channel only"
        case .led: "a sandboxed extension, async, on the default executor beside such an executor"
        case .sealed: "a sandboxed extension, answers as sealed memory"
        case .items: "a request of one item, answered in beginRequest"
        case .asyncItems: "the same, answered in an async respond that awaits a result which is there"
        case .yieldingItems: "the same, answered in an async respond whose task is suspended once"
        case .keystroke: "an edit in a compose sheet, with the verdict of the extension's isContentValid"
        case .loadingKeystroke: "the same while tasks of the extension load nine attachments"
        case .blockedKeystroke: "the same while the extension loads nine attachments in the blocking form"
        case .loads: "nine attachments whose loaders take a second each, loaded in tasks"
        case .blockingLoads: "the same, loaded one after the other in the blocking form"
        case .file: "a request whose item is a file on demand, read in pieces by an extension of 48 MiB"
        case .offers: "the decision which of 1,000 installed extensions are offered for 100 items"
        case .firstOffers: "the same for the first time, which reads the rule of each extension"
        case .launch: "from the request to a sandboxed extension's first answer"
        case .signedLaunch: "the same, of an extension of a signed app"
        case .standby: "the same, of one that was launched ahead"
        case .clone: "a launch's steps from clone3 to execve"
        case .denied: "from a request to the host's knowledge of the denied call that it led to"
        case .violation: "the same, of a breach of the protocol"
        case .memory: "the same, of the memory limit"
        case .crowd: "a hundred launches at once"
        case .besideCrowds: "a sandboxed extension, synchronous, while others are launched a hundred at once"
        case .besideFlood: "a sandboxed extension, synchronous, beside 64 that flood denials, signals and ends"
        case .launchBesideFlood: "from the request to a sandboxed extension's first answer, beside the same"
        }
    }

    /// The extension that serves this contender and waits as the plan says.
    func identifier(_ waiting: WaitingStyle) -> String {
        switch self {
        case .typed, .session, .waitingSession: return "com.example.bench.typed"
        case .sealed: return "com.example.bench.sealing"
        case .denied, .violation, .memory: return "com.example.bench.breaking"
        case .items: return "com.example.bench.beginning"
        case .asyncItems: return "com.example.bench.awaiting"
        case .yieldingItems: return "com.example.bench.yielding"
        case .keystroke, .loadingKeystroke, .blockedKeystroke: return "com.example.bench.composing"
        case .loads, .blockingLoads: return "com.example.bench.loading"
        case .file: return "com.example.bench.reading"
        default: break
        }
        return switch waiting {
        case .spin: "com.example.bench.spinning"
        case .adaptive: "com.example.bench.adapting"
        case .block: "com.example.bench.sleeping"
        }
    }

    /// - Returns: the program's exit status.
    func measure(_ plan: Plan) async throws -> Int32 {
        if let status = try measureOffers(plan) { return status }
        let launcher = try Launcher(plan, identifier: identifier(plan.waiting), isSigned: self == .signedLaunch)
        let idle = try launcher.launchIdle(plan.idle)
        defer { withExtendedLifetime(idle) {} }
        let flood = isBesideFlood ? Flood(try Launcher(plan, identifier: "com.example.bench.flooding")) : nil
        defer { flood?.stop() }
        if let status = try measureLaunches(plan, by: launcher) { return status }
        if let status = try await measureKeystrokes(plan, by: launcher) { return status }
        let crowds = self == .besideCrowds ? Crowds(launcher) : nil
        defer { crowds?.stop() }
        let session = try launcher.launch()
        let status = try await measure(plan, in: session)
        _ = await session.complete()
        return status
    }

    private var isBesideFlood: Bool { self == .besideFlood || self == .launchBesideFlood }

    /// Measures a decision about extensions that are never launched. Returns nil for all other contenders.
    private func measureOffers(_ plan: Plan) throws -> Int32? {
        guard self == .offers || self == .firstOffers else { return nil }
        guard bench_pin_all(plan.client) else { throw Launcher.Failure.notPinned }
        return Self.measure(plan, asking: try OffersWay(isFirst: self == .firstOffers))
    }

    /// Measures a contender that begins with a launch. Returns nil for all other contenders.
    private func measureLaunches(_ plan: Plan, by launcher: Launcher) throws -> Int32? {
        switch self {
        case .launch, .launchBesideFlood, .signedLaunch:
            return Self.measure(plan, asking: LaunchWay { try launcher.launch() })
        case .standby:
            let standby = try launcher.standby()
            let settle = { while standby.count == 0 { usleep(200) } }
            settle()
            return Self.measure(plan, asking: LaunchWay({ try standby.beginAndWait() }, settle: settle))
        case .clone: return Self.measure(plan, asking: CloneWay(launcher))
        case .denied: return Self.measure(plan, asking: try EndWay(launcher, breach: .denied))
        case .violation: return Self.measure(plan, asking: try EndWay(launcher, breach: .violation))
        case .memory: return Self.measure(plan, asking: try EndWay(launcher, breach: .memory))
        case .crowd: return Self.measure(plan, asking: CrowdWay(launcher))
        case .raw, .typed, .session, .waitingSession, .async, .resumed, .dedicated, .led, .sealed, .besideCrowds,
            .besideFlood, .items, .asyncItems, .yieldingItems, .keystroke, .loadingKeystroke, .blockedKeystroke, .loads,
            .blockingLoads, .file, .offers, .firstOffers:
            return nil
        }
    }

    private func measure(_ plan: Plan, in session: ExtensionSession) async throws -> Int32 {
        let channel = session.channel
        switch self {
        case .raw where plan.isOneWay: return Self.measurePosts(plan, over: channel)
        case .async:
            return await Self.measureTasks(plan, asking: RawWay(channel: channel), by: AsyncWay(channel: channel))
        case .resumed:
            return await Self.measureTasks(
                plan, asking: RawWay(channel: channel), by: AsyncWay(channel: channel), on: channel.executor)
        case .dedicated:
            let executor = try ChannelExecutor(dedicatedTo: channel)
            return await Self.measureTasks(
                plan, asking: RawWay(channel: channel), by: AsyncWay(channel: channel), on: executor)
        case .led:
            let executor = try ChannelExecutor(dedicatedTo: channel)
            defer { withExtendedLifetime(executor) {} }
            return await Self.measureTasks(plan, asking: RawWay(channel: channel), by: AsyncWay(channel: channel))
        case .session:
            return await Self.measureTasks(
                plan, asking: SessionWay(session: session), by: SessionTaskWay(session: session))
        case .waitingSession: return Self.measure(plan, asking: SessionWay(session: session))
        case .typed: return Self.measure(plan, asking: TypedWay(channel: channel))
        case .items, .asyncItems, .yieldingItems: return Self.measure(plan, asking: ItemWay(session: session))
        case .loads, .blockingLoads:
            let answers = OwnAnswers()
            let way = LoadsWay(session: session, form: self == .loads ? "tasks" : "blocks", answers: answers)
            return await Self.measureTasks(plan, asking: OwnWay(answers: answers), by: way)
        case .file: return Self.measure(plan, asking: try FileWay(session, plan: plan))
        case .sealed: return Self.measure(plan, asking: SealedWay(channel, plan: plan))
        default: return Self.measure(plan, asking: RawWay(channel: channel))
        }
    }

    /// Measures edits in a compose sheet. Returns nil for all other contenders.
    private func measureKeystrokes(_ plan: Plan, by launcher: Launcher) async throws -> Int32? {
        let sheet: ComposeSession
        switch self {
        case .keystroke: sheet = try await launcher.compose()
        // The loads are in progress until the measurement is over.
        case .loadingKeystroke: sheet = try await launcher.compose([LoadsWay.item("tasks", taking: .seconds(600))])
        case .blockedKeystroke: sheet = try await launcher.compose([LoadsWay.item("blocks", taking: .seconds(1))])
        default: return nil
        }
        let presented = Task { try await sheet.presentationAnimationDidFinish() }
        // In the blocking form, the extension answers this event when all loads are over.
        if self != .blockedKeystroke { _ = try await presented.value }
        let answers = OwnAnswers()
        let status = await Self.measureTasks(
            plan, asking: OwnWay(answers: answers), by: KeystrokeWay(sheet: sheet, answers: answers))
        await sheet.cancel()
        return status
    }

    private static func measure(_ plan: Plan, asking way: some Way) -> Int32 {
        Measurement.of(plan, asking: way) { measurement in
            measurement.phases { measurement.calls($0, asking: way) }
        }
    }

    private static func measurePosts(_ plan: Plan, over channel: HostEndpoint) -> Int32 {
        Measurement.of(plan, asking: RawWay(channel: channel)) { measurement in
            measurement.phases { measurement.posts($0, over: channel) } && measurement.drain()
        }
    }

    /// - Parameter executor: the executor of the calls. The work before and after the calls blocks, so it runs
    ///   elsewhere.
    private static func measureTasks(
        _ plan: Plan, asking asked: some Way, by way: some TaskWay, on executor: (any TaskExecutor)? = nil
    ) async -> Int32 {
        guard let measurement = Measurement(plan, asking: asked), measurement.settle() else { return 1 }
        let isWhole = await withTaskExecutorPreference(executor) { await measurement.phases(way) }
        return isWhole ? measurement.finish() : 1
    }
}
