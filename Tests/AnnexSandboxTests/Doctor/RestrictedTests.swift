import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexDoctor
@testable import AnnexLaunch

/// The doctor in an environment without a certain feature. It must name the missing feature and the remedy. The tests
/// run one after the other, because the kernel counts descriptors in flight over all programs of a user.
@Suite(.serialized, .timeLimit(.minutes(20))) struct RestrictedTests {
    private static let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

    /// Runs `annex doctor` under the restriction, as this user or, on request, as an ordinary user.
    private static func diagnosis(_ restriction: String, ordinary: Bool = false) async throws -> (
        Diagnosis, status: Int32
    ) {
        var command = [folder.appending(path: "restricts-itself").path, restriction, "--"]
        command += [folder.appending(path: "annex").path, "doctor", "--json"]
        if ordinary, geteuid() == 0 {
            command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] + command
        }
        let result = try await Program.tool(command)
        do {
            return (try JSONDecoder().decode(Diagnosis.self, from: Data(result.output.utf8)), result.status)
        } catch {
            Issue.record("\(result.output.prefix(2000))\(result.errors.prefix(2000))")
            throw error
        }
    }

    @Test func `a limit of 0 user namespaces is named with the command that raises it`() async throws {
        let (diagnosis, status) = try await Self.diagnosis("no-user-namespaces", ordinary: true)
        let layer = try #require(diagnosis.findings.first { $0.id == "layer.user" })
        #expect(layer.level == .missing && layer.seen.contains("clone: ENOSPC"))
        #expect(layer.remedy == "sudo sysctl -w user.max_user_namespaces=10000")
        #expect(diagnosis.findings.first { $0.id == "user.max_user_namespaces" }?.level == .missing)
        #expect(status == 1 && diagnosis.outcome == .unable)
        let missingLayers = diagnosis.policies.first { $0.policy == "compute" }?.missing.map(\.layer) ?? []
        #expect(missingLayers.contains("user") && missingLayers.contains("root") && !missingLayers.contains("landlock"))
    }

    @Test(arguments: ["container-filter", "old-container-filter"])
    func `the filter of a container is named as the cause`(filter: String) async throws {
        let (diagnosis, status) = try await Self.diagnosis(filter)
        #expect(diagnosis.findings.first { $0.id == "seccomp-in-force" }?.level == .note)
        let calls = ["clone3", "unshare-user"] + (filter.hasPrefix("old") ? ["landlock-call", "seccomp-filter"] : [])
        for id in calls {
            let finding = try #require(diagnosis.findings.first { $0.id == id })
            #expect(finding.level != .works && finding.remedy?.contains("seccomp filter around this program") == true)
        }
        #expect(status == 1)
        for policy in diagnosis.policies {
            #expect(policy.state == .waivable && policy.missing.first?.remedy?.contains("filter") == true, "\(policy)")
        }
    }

    /// The process is root of a namespace that an ordinary user made, as in a container without root.
    @Test func `root in the namespace of an ordinary user runs programs as that user`() async throws {
        let annex = Self.folder.appending(path: "annex").path
        let ordinary = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        let namespace = ["unshare", "-Urm"]
        let command = (geteuid() == 0 ? ordinary : []) + namespace + [annex]
        let run = try await Program.tool(command + ["run", "--", "cat", "/proc/self/uid_map"])
        #expect(run.output.split(separator: " ").map(String.init) == ["65533", "0", "1\n"], "\(run.errors)")
        let doctor = try await Program.tool(command + ["doctor", "--json"])
        let diagnosis = try JSONDecoder().decode(Diagnosis.self, from: Data(doctor.output.utf8))
        #expect(diagnosis.findings.first { $0.id == "uid-range" }?.level == .note)
        #expect(diagnosis.policies.allSatisfy { $0.state != .unable })
    }

    @Test func `without Landlock every policy runs for a host that waives it`() async throws {
        let (diagnosis, status) = try await Self.diagnosis("no-landlock")
        #expect(status == 1)
        let compute = try #require(diagnosis.policies.first { $0.policy == "compute" })
        #expect(compute.state == .waivable && compute.missing.map(\.layer) == ["landlock"])
        #expect(compute.missing.first?.cause.contains("landlock: ENOSYS") == true)
        #expect(!compute.layers.contains { $0.hasPrefix("Landlock") } && compute.layers.count == 15)
    }

    @Test(arguments: [
        ("offers-a-core", "core scheduling"), ("loses-its-cores", "core scheduling"),
        ("offers-speculation-control", "store bypass, indirect branches"),
    ])
    func `a speculation control of the machine is requested and named in each launch`(
        machine: String, controls: String
    ) async throws {
        let (diagnosis, _) = try await Self.diagnosis(machine)
        let finding = try #require(diagnosis.findings.first { $0.id == "layer.speculation" })
        #expect(finding.level == .works && finding.seen.contains(controls), "\(finding)")
        for policy in diagnosis.policies {
            let layer = try #require(policy.layers.first { $0.hasPrefix("speculation control (") }, "\(policy)")
            #expect(layer.contains(controls))
        }
    }

    @Test(arguments: [("refuses-a-core", "core scheduling"), ("refuses-speculation-control", "store bypass")])
    func `a refused speculation control fails the launch unless the host waives it`(
        machine: String, control: String
    ) async throws {
        let (diagnosis, status) = try await Self.diagnosis(machine)
        #expect(status == 1)
        let finding = try #require(diagnosis.findings.first { $0.id == "layer.speculation" })
        #expect(finding.level == .missing && finding.seen.contains("speculation \(control): EPERM"), "\(finding)")
        #expect(finding.remedy?.contains("seccomp filter around this program") == true)
        let compute = try #require(diagnosis.policies.first { $0.policy == "compute" })
        #expect(compute.state == .waivable && compute.missing.map(\.layer) == ["speculation"])
        #expect(compute.layers.count == 15 && !compute.layers.contains { $0.hasPrefix("speculation") })
        let asking = try await Self.launch(among: machine)
        #expect(asking.status == 126 && asking.output.isEmpty)
        #expect(asking.errors.contains(control) && asking.errors.contains("EPERM"), "\(asking.errors)")
        #expect(asking.errors.contains("waive the layer `speculation`"), "\(asking.errors)")
        let waiving = try await Self.launch(among: machine, "--waive", "speculation")
        #expect(waiving.status == 0 && waiving.output == "ran\n", "\(waiving.errors)")
    }

    @Test func `a filter that kills ends a trial and not the doctor`() async throws {
        let (diagnosis, status) = try await Self.diagnosis("killed-for-landlock")
        #expect(status == 1)
        let trial = try #require(diagnosis.findings.first { $0.id == "landlock-call" })
        #expect(trial.seen == "tried: killed by signal \(SIGSYS)")
        #expect(trial.remedy?.contains("seccomp filter") == true)
        #expect(
            diagnosis.policies.allSatisfy { $0.cause?.contains("kills every process that makes this call") == true })
    }

    @Test func `a mount over proc is named and costs only the parts that need proc`() async throws {
        let (diagnosis, _) = try await Self.diagnosis("masked-proc", ordinary: true)
        #expect(diagnosis.findings.first { $0.id == "proc-masks" }?.seen == "/proc/version")
        #expect(diagnosis.findings.first { $0.id == "procfs" }?.seen.contains("EPERM") == true)
        let compute = try #require(diagnosis.policies.first { $0.policy == "compute" })
        #expect(compute.layers.count == 16, "\(compute)")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, which mounts /proc"), arguments: [true, false])
    func `a launch fails if its proc hides processes from the sandbox`(isHidden: Bool) async throws {
        let restricted = [
            Self.folder.appending(path: "restricts-itself").path, isHidden ? "hidden-processes" : "hidden-from-others",
            "--", "/usr/bin/env", "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups",
            Self.folder.appending(path: "annex").path,
        ]
        let run = try await Program.tool(restricted + ["run", "--", "sh", "-c", "sleep 1; echo ran"])
        if isHidden {
            #expect(run.status == 126 && run.output.isEmpty, "\(run)")
            #expect(run.errors.contains("hides the first process of the sandbox"), "\(run.errors)")
            #expect(run.errors.contains("remount,hidepid=") && run.errors.contains("gid=GROUP"), "\(run.errors)")
        } else {
            #expect(run.status == 0 && run.output == "ran\n", "\(run)")
        }
        let doctor = try await Program.tool(restricted + ["doctor", "--json"])
        let diagnosis = try JSONDecoder().decode(Diagnosis.self, from: Data(doctor.output.utf8))
        let finding = try #require(diagnosis.findings.first { $0.id == "hidepid" })
        #expect(finding.level == (isHidden ? .weaker : .works))
        #expect((finding.remedy?.contains("gid=GROUP") ?? false) == isHidden)
        #expect((diagnosis.policies.first { $0.policy == "tool" }?.state == .unable) == isHidden)
        #expect(diagnosis.policies.first { $0.policy == "compute" }?.state != .unable)
    }

    @Test(
        arguments: [
            ("rw", nil), ("rw,hidepid=off", nil), ("rw,hidepid=0", nil), ("rw,hidepid=noaccess", "hidepid=noaccess"),
            ("rw,hidepid=2", "hidepid=2"), ("rw,gid=7,hidepid=invisible", nil),
            ("rw,gid=8,hidepid=invisible", "hidepid=invisible"),
            ("rw,gid=7,hidepid=ptraceable", "hidepid=ptraceable"), ("rw,gid=7,hidepid=4", "hidepid=4"),
        ] as [(String, String?)])
    func `the processes that proc hides are read from its mount options`(options: String, hides: String?) {
        let mounts = """
            20 1 0:19 / / rw - ext4 /dev/x rw,hidepid=2
            24 20 0:22 / /proc rw,nosuid shared:12 - proc proc \(options)
            25 24 0:23 / /proc/sys/fs/binfmt_misc rw - binfmt_misc none rw
            """
        #expect(HiddenProcesses.option(mounts: mounts, groups: [7, 9], mayTrace: false) == hides)
        #expect(HiddenProcesses.option(mounts: mounts, groups: [7, 9], mayTrace: true) == nil)
        let under = mounts + "\n26 24 0:24 / /proc rw - proc proc rw,hidepid=1"
        #expect(HiddenProcesses.option(mounts: under, groups: [7], mayTrace: false) == "hidepid=1")
        #expect(HiddenProcesses.mayTrace(status: "Name: x\nCapEff:\t0000000000080000\n"))
        #expect(!HiddenProcesses.mayTrace(status: "CapEff:\t0000000000000000\n"))
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, which writes maps of two users"))
    func `root in a namespace is an ordinary user if the map says so`() async throws {
        let annex = Self.folder.appending(path: "annex").path
        // The shell waits until the maps exist. It notices this when its own user number becomes 0.
        let inside = "until [ \"$(id -u)\" = 0 ]; do :; done; exec \(annex) run -- cat /proc/self/uid_map"
        let script = """
            before=$(readlink /proc/self/ns/user)
            (
            while [ "$(readlink /proc/$$/ns/user)" = "$before" ]; do :; done
            printf '7 1610700007 1\\n0 65534 1\\n' > /proc/$$/gid_map
            printf '7 1610700007 1\\n0 65534 1\\n' > /proc/$$/uid_map
            ) &
            exec setpriv --reuid 65534 --regid 65534 --clear-groups unshare -Um sh -c '\(inside)'
            """
        let run = try await Program.tool(["sh", "-c", script])
        #expect(run.output.split(separator: " ").map(String.init) == ["65533", "0", "1\n"], "\(run.errors)")
    }

    @Test func `a program that examines its machine gets no SIGCHLD and no child`() async throws {
        let result = try await Program.tool([ChildProcess.executable("examines-itself").path])
        #expect(result.status == 0)
        #expect(result.output.contains("signals=0\n") && result.output.contains("wait=-1 ECHILD\n"), "\(result.output)")
    }

    @Test(arguments: [
        ("no-user-namespaces", "sudo sysctl -w user.max_user_namespaces=10000"),
        ("container-filter", "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined"),
    ])
    func `the check before a build agrees with the doctor`(restriction: String, remedy: String) async throws {
        let script = SourcesTests.root.appending(path: ".ci/preflight").path
        let program = Self.folder.appending(path: "restricts-itself").path
        let asked = try await Program.tool([program, restriction, "--", "/bin/sh", script])
        #expect(asked.status == 1)
        let said = asked.output + asked.errors
        #expect(said.contains(remedy), "\(said)")
    }

    @Test func `a low limit on open files is named`() async throws {
        let diagnosis = try await Self.uncrowdedDiagnosis("few-files")
        let finding = try #require(diagnosis.findings.first { $0.id == "RLIMIT_NOFILE" })
        #expect(finding.level == .weaker && finding.seen == "getrlimit: 96" && finding.remedy == "ulimit -n 4096")
        let compute = try #require(diagnosis.policies.first { $0.policy == "compute" })
        #expect(compute.layers.count == 16, "\(compute)")
    }

    @Test func `FD-03: descriptors in flight delay a launch and are named if they stay`() async throws {
        var moment = try await Self.launch(among: "crowded-for-a-moment")
        while moment.errors.contains("ETOOMANYREFS") { moment = try await Self.launch(among: "crowded-for-a-moment") }
        #expect(moment.status == 0 && moment.output == "ran\n", "\(moment.errors)")
        let diagnosis = try await Self.uncrowdedDiagnosis("crowded-on-and-off", ordinary: true)
        for policy in diagnosis.policies { #expect(policy.layers.count >= 16, "\(policy)") }
        let stay = try await Self.launch(among: "crowded")
        #expect(stay.status == 126 && stay.output.isEmpty, "\(stay.output)")
        #expect(stay.errors.contains("ETOOMANYREFS") && stay.errors.contains("ulimit -n"), "\(stay.errors)")
    }

    /// Repeats the diagnosis until no other test of this user disturbed it with too many descriptors in flight.
    private static func uncrowdedDiagnosis(_ restriction: String, ordinary: Bool = false) async throws -> Diagnosis {
        while true {
            let (diagnosis, _) = try await diagnosis(restriction, ordinary: ordinary)
            guard "\(diagnosis.policies)".contains("ETOOMANYREFS") else { return diagnosis }
        }
    }

    private static func launch(among restriction: String, _ options: String...) async throws -> Program {
        var command = [folder.appending(path: "restricts-itself").path, restriction, "--"]
        command += [folder.appending(path: "annex").path, "run", "--policy", "tool"] + options
        command += ["--", "/bin/echo", "ran"]
        if geteuid() == 0 { command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] + command }
        return try await Program.tool(command)
    }
}
