import AnnexLaunch
import AnnexLinux
import Glibc
import Synchronization

/// Launches with every layer that needs no rules.
struct Bench {
    let folder: String

    /// A report from the event loop. The main thread waits for it.
    final class Gate: Sendable {
        private let pipe: DescriptorPair
        let process = Atomic<Int32>(0)

        init() throws { pipe = try DescriptorPair.pipe() }
        func open() { try? pipe.second.writeAll([1]) }
        func wait() throws { _ = try pipe.first.readSome(atMost: 1) }
    }

    func plan(_ command: String..., output: String = "/dev/null") throws -> LaunchPlan {
        let isRoot = geteuid() == 0
        let program = try Descriptor.reference(to: folder + "/app/program")
        var plan = try LaunchPlan(
            executable: "/app/program", checked: program, outsideUser: isRoot ? 1_610_700_002 : geteuid(),
            outsideGroup: isRoot ? 1_610_700_002 : getegid())
        plan.layers = SandboxLayers.all.subtracting([.landlock, .seccomp])
        plan.arguments = ["program", "1"] + command
        plan.environment = ["SWIFT_ROOT=/"]
        try plan.bind(try Descriptor.reference(to: folder + "/app"), at: "/app")
        plan.give(try Descriptor.open("/dev/null", O_RDWR), as: 0)
        plan.give(try Descriptor.open(output, O_WRONLY), as: 1)
        plan.give(try Descriptor.open("/dev/null", O_RDWR), as: 2)
        return plan
    }

    /// Runs one launch to its end. The caller owns the gate, because the loop may hold the gate for a moment after the
    /// last event.
    func run(_ plan: consuming LaunchPlan, on warden: Warden, _ gate: Gate) throws {
        try warden.launch(plan) { event in
            switch consume event {
            case .ended: gate.open()
            case .wardenLost: gate.open()
            default: break
            }
        }
        try gate.wait()
    }

    func stay(_ command: String = "stay", removal: String) throws {
        let warden = try Warden.start(on: EventLoop(), programs: [.carried])
        var plan = try plan(command, output: command == "stay" ? "/dev/null" : "/proc/self/fd/1")
        plan.removals = [removal]
        let gate = try Gate()
        try warden.launch(plan) { event in
            switch consume event {
            case .started(_, let process): gate.process.store(process, ordering: .relaxed)
            case .executed: gate.open()
            default: break
            }
        }
        try gate.wait()
        say("warden=\(warden.number)")
        say("process=\(gate.process.load(ordering: .relaxed))")
        while true { pause() }
    }

    func launchMany(_ count: Int) throws {
        let loop = try EventLoop()
        let warden = try Warden.start(on: loop, programs: [.carried])
        let gate = try Gate()
        // The first launch creates all objects that are created only once.
        try run(plan("exit", "0"), on: warden, gate)
        let before = Counts(warden: warden.number)
        for _ in 0..<count { try run(plan("exit", "0"), on: warden, gate) }
        // The warden reports an end before it has released all resources of the launch.
        var after = Counts(warden: warden.number)
        for _ in 0..<300_000 where !after.isNoMore(than: before) {
            usleep(2_000)
            after = Counts(warden: warden.number)
        }
        say("no.more=\(after.isNoMore(than: before))")
        say("before=\(before)")
        say("after=\(after)")
        warden.shutDown()
        loop.shutDown()
        say("warden.gone=\(kill(warden.number, 0) != 0 || Counts.state(of: warden.number) == "Z")")
    }
}
