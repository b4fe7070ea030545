import AnnexLinux
import AnnexTestSupport
import AnnexWarden
import Foundation
import Synchronization
import Testing

@testable import AnnexLaunch

/// The warden answers a malformed plan with an error at the step `plan`, and continues to serve.
@Suite(.timeLimit(.minutes(20))) struct MalformedPlanTests {
    /// One fault in an otherwise correct plan.
    enum Flaw: CaseIterable {
        case empty, tooShort, tooLong, magic, version, size, hostRoot, hostRootGroup, nobodyMinusOne, relativeExecutable
        case climbingDirectory, bindRecordsOutside, bindCount, argumentsMissing, filterWithoutLayer, layerUnknown
        case rootWithoutMount, unboundedRoot, cgroupWithoutDescriptor, misalignedRecords, faultBeyondSteps
        case filterFlagUnknown, maskUnknown, timeWithoutUser, promiseWithoutFilter
        case flagUnknown, procWithoutRoot, kernelFilesWithoutProc, loopbackOfTheHost, terminalWithoutReaper,
            linkToNothing
        case fileOfNoPath, partOfNoPath, partWithoutRoot, ignoredKill, blockedStop, procWithoutItsLayer,
            listenerWithoutItsLayer
        case queuesWithoutWatches, watchesWithoutEnd, scratchWithoutReaper
        case restMissing, restTooShort, longerThanAnyPlan, overlappingTexts, environmentWithoutEnd
        case nameOutside, nameBeyondArguments, argumentWithoutName, byNameWithoutName
        case socketsOfTheHost, socketOfUnixFamily, socketsWithoutEnd, portRuleBeyondPorts

        /// The change to the plan. It is nil if the bytes themselves are shortened or extended.
        var edit: ((inout annex_plan) -> Void)? {
            switch self {
            case .empty, .tooShort, .tooLong, .restMissing, .restTooShort, .longerThanAnyPlan, .overlappingTexts: nil
            case .environmentWithoutEnd: { $0.environment.count = .max }
            case .magic: { $0.magic ^= 1 }
            case .version: { $0.version += 1 }
            case .size: { $0.size += 8 }
            case .hostRoot: { $0.outside_user = 0 }
            case .hostRootGroup: { $0.outside_group = 0 }
            case .nobodyMinusOne: { $0.outside_user = .max }
            case .relativeExecutable: { $0.executable.offset += 1 }
            case .climbingDirectory: { $0.directory = $0.hostname }
            case .bindRecordsOutside: { $0.binds.offset = $0.size & ~7 }
            case .bindCount: { $0.binds.count = .max }
            case .argumentsMissing: { $0.arguments.count = 0 }
            case .filterWithoutLayer: { $0.filter.length = 8 }
            case .layerUnknown: { $0.layers |= 1 << 31 }
            case .rootWithoutMount: { $0.layers &= ~SandboxLayers.mount.rawValue }
            case .unboundedRoot: { $0.root_inodes = 0 }
            case .cgroupWithoutDescriptor: { $0.into_cgroup = 60 }
            case .misalignedRecords: { $0.binds.offset += 4 }
            case .filterFlagUnknown: { $0.filter_flags = 1 }
            case .maskUnknown: { $0.file_mask = 0o1000 }
            case .timeWithoutUser: { $0.layers = SandboxLayers.time.rawValue }
            case .promiseWithoutFilter: { $0.flags = UInt32(ANNEX_PLAN_WRITE_XOR_EXECUTE) }
            case .flagUnknown: { $0.flags = 1 << 31 }
            case .procWithoutRoot:
                {
                    $0.layers &= ~SandboxLayers.root.rawValue
                    $0.flags = UInt32(ANNEX_PLAN_PROC)
                }
            case .procWithoutItsLayer:
                {
                    $0.layers &= ~SandboxLayers.processFiles.rawValue
                    $0.flags = UInt32(ANNEX_PLAN_PROC)
                }
            case .listenerWithoutItsLayer:
                {
                    $0.layers &= ~SandboxLayers.listener.rawValue
                    $0.filter_flags = 1 << 3
                }
            case .kernelFilesWithoutProc: { $0.flags = UInt32(ANNEX_PLAN_KERNEL_FILES) }
            case .loopbackOfTheHost:
                {
                    $0.layers &= ~SandboxLayers.network.rawValue
                    $0.flags = UInt32(ANNEX_PLAN_LOOPBACK)
                }
            case .terminalWithoutReaper: { $0.terminal = 0 }
            case .linkToNothing: { $0.links = annex_records(offset: $0.arguments.offset, count: 1) }
            case .fileOfNoPath: { $0.files = annex_records(offset: $0.arguments.offset, count: 1) }
            case .scratchWithoutReaper: { $0.kept_scratch = 0 }
            case .ignoredKill: { $0.ignored_signals = 1 << UInt64(SIGKILL - 1) }
            case .blockedStop: { $0.blocked_signals = 1 << UInt64(SIGSTOP - 1) }
            case .queuesWithoutWatches: { $0.watch_queues = 1 }
            case .watchesWithoutEnd: { ($0.watch_queues, $0.watches) = (1, .max) }
            // The number of arguments in the plan is one record of 8 bytes. Read as sockets, it has no known family.
            case .socketOfUnixFamily:
                {
                    $0.flags = UInt32(ANNEX_PLAN_LOOPBACK)
                    $0.sockets = annex_records(offset: $0.arguments.offset, count: 1)
                }
            case .socketsOfTheHost:
                {
                    $0.sockets = annex_records(offset: $0.arguments.offset, count: 1)
                }
            case .socketsWithoutEnd:
                {
                    $0.flags = UInt32(ANNEX_PLAN_LOOPBACK)
                    $0.sockets = annex_records(offset: $0.size & ~7, count: 1)
                }
            case .portRuleBeyondPorts: { $0.port_rules = annex_records(offset: $0.arguments.offset, count: .max) }
            case .partOfNoPath: { $0.parts = annex_records(offset: $0.arguments.offset, count: 1) }
            case .partWithoutRoot: Self.partWithoutRoot
            case .nameOutside: { $0.name = annex_bytes(offset: $0.size, length: 1) }
            case .nameBeyondArguments: { ($0.name, $0.name_argument) = ($0.hostname, $0.arguments.count) }
            case .argumentWithoutName: { $0.name_argument = 1 }
            case .byNameWithoutName: { $0.flags = UInt32(ANNEX_PLAN_BY_NAME) }
            case .faultBeyondSteps: { $0.fault_step = UInt32(ANNEX_STEP_COUNT) }
            }
        }

        private static func partWithoutRoot(_ plan: inout annex_plan) {
            plan.layers &= ~SandboxLayers.root.rawValue
            plan.parts = annex_records(offset: plan.arguments.offset, count: 1)
        }

        func apply(to bytes: inout [UInt8]) {
            switch self {
            case .empty: bytes = [0]
            case .tooShort: bytes.removeLast(bytes.count - MemoryLayout<annex_plan>.size + 1)
            case .tooLong: bytes += [UInt8](repeating: 0, count: Int(ANNEX_PLAN_LARGEST))
            // The last descriptor of the plan is no file that can be read.
            case .restMissing: extend(&bytes, to: Int(ANNEX_PLAN_PACKET)) { $0.size = ANNEX_PLAN_PACKET + 8 }
            case .restTooShort: extend(&bytes, to: Int(2 * ANNEX_PLAN_PACKET)) { $0.size += 8 }
            case .longerThanAnyPlan: extend(&bytes, to: Int(ANNEX_PLAN_LARGEST) + 8) { _ in }
            case .overlappingTexts: overlap(&bytes)
            default: change(&bytes) { edit?(&$0) }
            }
        }

        private func change(_ bytes: inout [UInt8], _ edit: (inout annex_plan) -> Void) {
            bytes.withUnsafeMutableBytes { buffer in
                var header = buffer.loadUnaligned(as: annex_plan.self)
                edit(&header)
                buffer.storeBytes(of: header, as: annex_plan.self)
            }
        }

        /// Makes a plan longer. Its header has the right length, until `edit` changes the header.
        private func extend(_ bytes: inout [UInt8], to length: Int, _ edit: (inout annex_plan) -> Void) {
            bytes += [UInt8](repeating: 0, count: length - bytes.count)
            change(&bytes) { header in
                header.size = UInt32(length)
                edit(&header)
            }
        }

        /// Makes an environment of texts in one place. Their sum is larger than the largest plan.
        private func overlap(_ bytes: inout [UInt8]) {
            let text = annex_bytes(offset: UInt32(bytes.count), length: 100_000)
            bytes += [UInt8](repeating: UInt8(ascii: "a"), count: 100_000) + [UInt8](repeating: 0, count: 8)
            let records = annex_records(offset: UInt32(bytes.count), count: 100)
            bytes += [annex_bytes](repeating: text, count: 100).withUnsafeBytes { Array($0) }
            extend(&bytes, to: bytes.count) { $0.environment = records }
        }
    }

    @Test(arguments: Flaw.allCases) func `a plan with a flaw is answered and not launched`(flaw: Flaw) async throws {
        let fixture = try WardenFixture()
        let before = WardenState(fixture.warden.number)
        let plan = try fixture.plan("world")
        // If a plan is too short to hold its number, the answer has the number 0.
        let launch: UInt64 = flaw == .empty ? 0 : 77
        var bytes = try plan.encoded(launch: launch)
        flaw.apply(to: &bytes)
        let recording = Recording()
        let subjects = LaunchSubjects(plan)
        try fixture.warden.send(
            OutgoingPlan(launch: launch, bytes: bytes, descriptors: plan.takeDescriptors()),
            for: Warden.Launch(handler: { recording.note($0) }, subjects: subjects))
        await recording.finish()
        #expect(recording.order == [.failed, .ended])
        #expect(recording.failure?.step == .plan)
        #expect([EINVAL, EPROTO, EMSGSIZE].contains(recording.failure?.errno ?? 0))
        #expect(recording.end == nil)
        await eventually { WardenState(fixture.warden.number).isNoMore(than: before) }
        let run = try fixture.launch(fixture.plan("exit", "5"))
        await run.recording.finish()
        #expect(run.recording.end == .exited(code: 5), "the warden serves on")
    }

    @Test func `a plan with too many descriptors is answered and not launched`() async throws {
        let fixture = try WardenFixture()
        let before = WardenState(fixture.warden.number)
        let plan = try fixture.plan("world")
        let bytes = try plan.encoded(launch: 77)
        let subjects = LaunchSubjects(plan)
        var descriptors = plan.takeDescriptors()
        while descriptors.count <= Int(ANNEX_PLAN_DESCRIPTORS) {
            descriptors.append(try Descriptor.open("/dev/null", O_RDONLY))
        }
        let recording = Recording()
        try fixture.warden.send(
            OutgoingPlan(launch: 77, bytes: bytes, descriptors: descriptors),
            for: Warden.Launch(handler: { recording.note($0) }, subjects: subjects))
        await recording.finish()
        #expect(recording.failure?.step == .plan && recording.failure?.errno == EMSGSIZE)
        await eventually { WardenState(fixture.warden.number).isNoMore(than: before) }
    }

    @Test func `a plan that does not fit fails before it is sent`() throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("world")
        plan.arguments = [String(repeating: "a", count: 200_000)]
        let recording = Recording()
        #expect(throws: LaunchFailure.self) { try plan.encoded(launch: 1) }
        plan.arguments = ["a\0b"]
        #expect(throws: LaunchFailure.self) { try plan.encoded(launch: 1) }
        #expect(recording.order.isEmpty)
    }

    @Test func `a host that does not read for a while loses no answer`() async throws {
        let fixture = try WardenFixture()
        let pause = try DescriptorPair.pipe()
        let reading = try pause.first.duplicate()
        // The loop's thread is blocked. So hundreds of answers fill the socket and wait in the warden.
        let held = Mutex<Descriptor?>(reading)
        fixture.loop.execute { held.withLock { _ = try? $0?.readSome(atMost: 1) } }
        var runs: [Recording] = []
        for _ in 0..<300 {
            let recording = Recording()
            try fixture.warden.launch(fixture.plan("exit", "1")) { recording.note($0) }
            runs.append(recording)
        }
        try pause.second.writeAll([1])
        for run in runs {
            await run.finish()
            #expect(run.order == [.started, .executed, .ended])
        }
    }
}
