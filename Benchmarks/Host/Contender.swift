import AnnexChannel
import AnnexHost
import CBenchDriver

/// The ways to call an extension that are measured.
enum Contender: String, CaseIterable {
    case raw = "annex-raw"
    case typed = "annex-typed"
    case async = "annex-async"
    case resumed = "annex-async-executor"
    case sealed = "annex-sealed"
    case launch = "annex-launch"

    var about: String {
        switch self {
        case .raw: "a sandboxed extension, synchronous, bytes"
        case .typed: "a sandboxed extension, synchronous, messages of a type"
        case .async: "a sandboxed extension, async"
        case .resumed: "a sandboxed extension, async, on the channel's executor"
        case .sealed: "a sandboxed extension, answers as sealed memory"
        case .launch: "from the request to a sandboxed extension's first answer"
        }
    }

    /// The extension that serves it and waits as the plan says.
    func identifier(_ waiting: WaitingStyle) -> String {
        if self == .typed { return "com.example.bench.typed" }
        if self == .sealed { return "com.example.bench.sealing" }
        return switch waiting {
        case .spin: "com.example.bench.spinning"
        case .adaptive: "com.example.bench.adapting"
        case .block: "com.example.bench.sleeping"
        }
    }

    /// - Returns: the program's exit status.
    func measure(_ plan: Plan) async throws -> Int32 {
        let launcher = try Launcher(plan, identifier(plan.waiting))
        if self == .launch { return Self.measure(plan, LaunchWay(launcher)) }
        let idle = try launcher.launchIdle(plan.idle)
        let session = try launcher.launch()
        let status = await measure(plan, session.channel)
        _ = await session.complete()
        withExtendedLifetime(idle) {}
        return status
    }

    private func measure(_ plan: Plan, _ channel: HostEndpoint) async -> Int32 {
        switch self {
        case .raw where plan.isOneWay: return Self.measurePosts(plan, channel)
        case .async: return await Self.measureTasks(plan, channel)
        case .resumed:
            return await withTaskExecutorPreference(channel.executor) { await Self.measureTasks(plan, channel) }
        case .typed: return Self.measure(plan, TypedWay(channel: channel))
        case .sealed: return Self.measure(plan, SealedWay(channel, plan))
        case .raw, .launch: return Self.measure(plan, RawWay(channel: channel))
        }
    }

    private static func measure(_ plan: Plan, _ way: some Way) -> Int32 {
        Measurement.of(plan, asking: way) { measurement in
            measurement.phases { measurement.calls($0, way) }
        }
    }

    private static func measurePosts(_ plan: Plan, _ channel: HostEndpoint) -> Int32 {
        Measurement.of(plan, asking: RawWay(channel: channel)) { measurement in
            measurement.phases { measurement.posts($0, channel) } && measurement.drain()
        }
    }

    private static func measureTasks(_ plan: Plan, _ channel: HostEndpoint) async -> Int32 {
        guard let measurement = Measurement(plan, asking: RawWay(channel: channel)), measurement.settle(),
            await measurement.phases(AsyncWay(channel: channel))
        else { return 1 }
        return measurement.finish()
    }
}
