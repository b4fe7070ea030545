import AnnexLinux
import AnnexTestSupport
import Foundation
import Synchronization

@testable import AnnexLaunch
@testable import AnnexPolicy

/// The program that makes many kinds of calls. It runs in its own sandbox.
struct AskingProgram {
    /// The outcome of one run.
    struct Outcome {
        let end: SandboxEnd
        let report: SandboxReport?
        /// The denials that were reported while the program ran.
        let told: [Denial]

        /// The program's output, as `key=value` lines.
        var said: [String: String] {
            var said: [String: String] = [:]
            for line in String(decoding: end.output.bytes, as: UTF8.self).split(separator: "\n") {
                let sides = line.split(separator: "=", maxSplits: 1)
                if sides.count == 2 { said[String(sides[0])] = String(sides[1]) }
            }
            return said
        }

        /// The denials of paths, without those of the C library, which asks for its own memory map.
        var pathDenials: [Denial] {
            end.denials.filter { if case .path(let path) = $0.subject { !path.path.hasPrefix("/proc") } else { false } }
        }

        var paths: [DeniedPath] {
            pathDenials.compactMap { if case .path(let path) = $0.subject { path } else { nil } }
        }
    }

    /// The policy `compute`, with threads and with calls that look at files.
    static func policy(_ more: String = "") throws -> Policy {
        let text = """
            policy: asking
            summary: For a test.
            includes: [compute]
            allow:
              - reason: Threads and files.
                calls:
                  - { call: clone, when: { flags: { has: CLONE_THREAD } } }
                  - openat
                  - { call: newfstatat, when: { flags: { only: [AT_EMPTY_PATH, AT_SYMLINK_NOFOLLOW] } } }
                  - { call: prctl, when: { option: [PR_SET_NAME, PR_SET_DUMPABLE] } }
                  - exit
            \(more)
            limits: { processes: 8, request: 3000s, processor: 3000s }
            """
        return try PolicyLibrary.shipped.adding(["asking": (text, "asking.yaml")]).policy(named: "asking")
    }

    let folder: URL
    let launcher: Launcher

    init() throws {
        launcher = try Launcher.start()
        // In a mode that only reports, the program does not get its own root. So its user must be able to reach this
        // folder.
        folder = FileManager.default.commonDirectory.appending(path: "annex-asking-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let program = folder.appending(path: "program")
        try FileManager.default.copyProgram(
            at: WardenFixture.fixture.deletingLastPathComponent().appending(path: "asks-for-much"), to: program)
        try Data("harmless".utf8).write(to: folder.appending(path: "harmless"))
        for (name, mode) in [("", 0o755), ("program", 0o755), ("harmless", 0o644)] {
            chmod(folder.appending(path: name).path, mode_t(mode))
        }
    }

    func close() {
        launcher.shutDown()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs the program to its end. If the program makes too many calls, or calls that only attacks use, it is killed
    /// as the broker would kill it.
    /// - Parameter delay: the time by which other work delays the kill.
    func run(
        _ command: String, under policy: Policy, _ mode: DenialMode = .enforce, killedAfter delay: Duration = .zero
    ) async throws -> Outcome {
        let directory = try Descriptor.directory(folder.path)
        var configuration = SandboxConfiguration(
            policy: policy, bundle: try directory.duplicate(),
            executable: try directory.openBeneath("program", O_RDONLY), executablePath: "program", name: command,
            gifts: DescriptorList(), numbers: [])
        configuration.denials = mode
        let watcher = Watcher(most: policy.limits.denials, loop: launcher.loop, delay: delay)
        var given: SandboxConfiguration? = consume configuration
        return await withCheckedContinuation { waiter in
            watcher.waiter.withLock { $0 = waiter }
            guard let configuration = given.take() else { return }
            do throws(SandboxError) {
                let process = try launcher.launch(configuration, events: watcher.receive)
                watcher.take(process)
            } catch {
                watcher.receive(.ended(SandboxEnd(failure: error)))
            }
        }
    }

    private final class Watcher: Sendable {
        let waiter = Mutex<CheckedContinuation<Outcome, Never>?>(nil)
        private let seen = Mutex<(report: SandboxReport?, told: [Denial])>((nil, []))
        private let process = Mutex<(process: SandboxedProcess?, mustDie: Bool)>((nil, false))
        private let timer = Mutex<EventLoop.Timer?>(nil)
        private let most: Int
        private let loop: EventLoop
        private let delay: Duration

        init(most: Int, loop: EventLoop, delay: Duration) {
            self.most = most
            self.loop = loop
            self.delay = delay
        }

        func take(_ started: SandboxedProcess) {
            let mustDie = process.withLock { state in
                state.process = started
                return state.mustDie
            }
            if mustDie { started.kill() }
        }

        func receive(_ event: SandboxEvent) {
            switch event {
            case .executed(let report): seen.withLock { $0.report = report }
            case .denied(let denial, let total):
                seen.withLock { if $0.told.count < 1_000 { $0.told.append(denial) } }
                if denial.answer == .ended || total > most { killLater() }
            case .aborted: kill()
            case .started, .wrote, .stopped, .died: break
            case .ended(let end):
                let seen = seen.withLock { $0 }
                process.withLock { $0.process = nil }
                waiter.withLock { $0.take() }?
                    .resume(returning: Outcome(end: end, report: seen.report, told: seen.told))
            }
        }

        private func killLater() {
            guard delay > .zero else { return kill() }
            let later = loop.schedule(after: delay) { [weak self] in self?.kill() }
            timer.withLock { $0 = later }
        }

        private func kill() {
            let running = process.withLock { state in
                state.mustDie = true
                return state.process
            }
            running?.kill()
        }
    }
}
