import AnnexLinux
import Foundation
import Testing

@testable import AnnexLaunch

/// Two sandboxes see no fact that shows that they run on one machine. The exceptions are facts that the kernel shows to
/// every process. Docs/Design/Warden.md lists these facts.
@Suite(.timeLimit(.minutes(20))) struct MachineTests {
    private func look(on fixture: WardenFixture) async throws -> [String: String] {
        var plan = try fixture.plan("machine")
        plan.hasProc = true
        plan.scratches.append(Scratch(at: "/tmp", size: 1 << 20, inodes: 16))
        try plan.bind(Descriptor.reference(to: "/dev/null"), at: "/dev/null", access: [.device, .noExecute])
        let run = try fixture.launch(plan)
        let seen = try await run.world()
        #expect(run.recording.failure == nil)
        #expect(seen["said"] == "machine")
        return seen
    }

    /// The lines of one file, without the facts that Docs/Design/Warden.md lists.
    private func lines(_ seen: [String: String], of file: String) -> [String] {
        seen.filter { $0.key.hasPrefix("/proc/self/\(file).") }.sorted { $0.key < $1.key }.map(\.value)
    }

    @Test func `no clock shows when the machine was started`() async throws {
        let fixture = try WardenFixture()
        let (one, other) = try await (look(on: fixture), look(on: fixture))
        let hosts = Self.now(CLOCK_REALTIME) - Self.now(CLOCK_BOOTTIME)
        for clock in ["day-since-start", "day-monotonic", "since-start-monotonic"] {
            let (first, second) = (Int64(one[clock] ?? ""), Int64(other[clock] ?? ""))
            #expect(first != nil && second != nil)
            // The values are two random numbers of nanoseconds within half a year. It is extremely unlikely that they
            // differ by less than a second.
            #expect(abs((first ?? 0) - (second ?? 0)) > 1_000_000_000, "\(clock)")
        }
        #expect(abs((Int64(one["day-since-start"] ?? "") ?? hosts) - hosts) > 1_000_000_000)
    }

    /// No time namespace changes the result of `times`, so Docs/Design/Warden.md lists it. If a future kernel hides
    /// this number, that list can become shorter.
    @Test func `the result of times still counts from the start of the machine`() async throws {
        let fixture = try WardenFixture()
        var used = tms()
        let before = times(&used)
        let seen = try #require(Int(try await look(on: fixture)["times"] ?? ""))
        #expect(before <= seen && seen <= times(&used))
    }

    @Test func `without the time layer the clocks are those of the machine`() async throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("machine")
        plan.layers.remove(.time)
        let seen = try await fixture.launch(plan).world()
        let hosts = Self.now(CLOCK_REALTIME) - Self.now(CLOCK_BOOTTIME)
        #expect(abs((Int64(seen["day-since-start"] ?? "") ?? 0) - hosts) < 1_000_000_000)
    }

    private static func now(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    @Test func `the steps of a launch have their times on the clock of the host`() async throws {
        let fixture = try WardenFixture()
        for hasReaper in [false, true] {
            var plan = try fixture.plan("exit", "0")
            plan.hasReaper = hasReaper
            let run = try fixture.launch(plan)
            await run.recording.finish()
            let times = try #require(run.recording.times)
            let now = MonotonicClock.now()
            for step in LaunchStep.allCases {
                guard let end = times.end(of: step) else { continue }
                #expect(end >= times.begun && end <= now, "\(step)")
            }
            #expect(times.end(of: .limits) != nil)
        }
    }

    @Test func `names and files show nothing of the machine`() async throws {
        let seen = try await look(on: WardenFixture())
        #expect(seen["uname.node"] == "annex" && seen["uname.domain"] == "")
        #expect(seen["meminfo"] == "-1" && seen["cmdline"] == "-1" && seen["boot_id"] == "-1")
        #expect(lines(seen, of: "cgroup").allSatisfy { $0.hasSuffix(":/") })
        #expect(
            lines(seen, of: "uid_map").map { $0.split(separator: " ").map(String.init) }
                == [["65534", "\(WardenFixture.outside.user)", "1"]])
    }

    /// The parts of a mount's line that describe the host: the device, the root within its file system, and the options
    /// of both kinds.
    @Test func `mounts show only the listed facts about the host`() async throws {
        let fixture = try WardenFixture()
        let mounts = lines(try await look(on: fixture), of: "mountinfo").map {
            $0.split(separator: " ").map(String.init)
        }
        #expect(mounts.count == 5, "root, program, scratch, device, proc: \(mounts)")
        for mount in mounts {
            let separator = try #require(mount.firstIndex(of: "-"))
            let (root, place, kind) = (mount[3], mount[4], mount[separator + 1])
            switch place {
            // The mount of a bundle shows the bundle's file system and its place there.
            case "/app": #expect(root.hasSuffix("/app"))
            case "/proc": #expect(root == "/" && kind == "proc")
            case "/dev/null":
                #expect(root == "/null")
                // Only root can make device nodes, and an ordinary user has the host's own nodes. Linux before 6.15 can
                // bind only the host's nodes.
                if geteuid() == 0, fixture.hasOwnDevices {
                    #expect(kind == "tmpfs" && mount.last?.contains("size=4k") == true)
                }
            default: #expect(root == "/" && kind == "tmpfs" && ["/", "/tmp"].contains(place))
            }
        }
    }
}

extension WardenFixture {
    /// Whether the warden keeps its own device nodes. The warden keeps them if the kernel can clone a mount that is
    /// attached nowhere.
    fileprivate var hasOwnDevices: Bool {
        var name = utsname()
        uname(&name)
        let release = withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let numbers = release.split(whereSeparator: { !$0.isNumber }).prefix(2).compactMap { Int($0) }
        return numbers.count == 2 && (numbers[0], numbers[1]) >= (6, 15)
    }
}
