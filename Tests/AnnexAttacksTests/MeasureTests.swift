import AnnexAttacks
import AnnexLaunch
import AnnexLinux
import AnnexPolicy
import Foundation
import Synchronization
import Testing

/// The rows KOBJ of the catalogue measure resources of the kernel. The measurement must really count these resources,
/// and they must really be released.
@Suite(.serialized, .timeLimit(.minutes(20))) struct MeasureTests {
    /// Without the filter, no layer denies a lock. So the host must count all locks.
    @Test(arguments: ["KOBJ-01", "KOBJ-02"])
    func `KOBJ-01, KOBJ-02: locks that no layer denies are counted and released`(
        _ id: String
    ) async throws {
        let attack = try #require(Catalogue.attack(id))
        let result = try await AttackRunner().run(
            attack, under: .shipped(named: "compute"), layers: .all.subtracting(.seccomp))
        #expect(result.verdict == .gotThrough)
        let measured = try #require(result.tries.first?.measured)
        #expect(measured.before == 0)
        #expect(measured.held >= 10_000)
        #expect(measured.after == 0)
        #expect(measured.held > measured.allowed)
        #expect(measured.machine.allSatisfy { $0.values.count == 3 }, "\(measured.machine)")
    }

    @Test func `KOBJ-01: locks by threads with their own descriptors are all counted`() async throws {
        let attack = try #require(Catalogue.attack("KOBJ-01"))
        let result = try await AttackRunner().run(
            attack, under: .shipped(named: "tool"), layers: .all.subtracting(.seccomp))
        let measured = try #require(result.tries.last?.measured)
        #expect(measured.held >= 4 * 3_000, "\(measured.text)")
        #expect(result.verdict == .gotThrough)
    }

    @Test func `KOBJ-01: threads under the policy tool have no descriptors of their own`() async throws {
        let attack = try #require(Catalogue.attack("KOBJ-01"))
        let result = try await AttackRunner().run(attack, under: .shipped(named: "tool"))
        #expect(result.tries.count == 2 && result.verdict != .gotThrough, "\(result.tries)")
        let measured = try #require(result.tries.last?.measured)
        // The most locks that the program may hold with one table of descriptors.
        #expect(measured.held <= 3_000, "\(measured.text)")
    }

    /// While a process reads the kernel's list, each lock that another process sets changes the list.
    @Test func `KOBJ-01: locks that other programs set meanwhile do not count`() async throws {
        let other = LockStorm()
        defer { other.end() }
        let attack = try #require(Catalogue.attack("KOBJ-01"))
        let result = try await AttackRunner().run(
            attack, under: .shipped(named: "compute"), layers: .all.subtracting(.seccomp))
        let measured = try #require(result.tries.first?.measured)
        #expect(measured.before == 0 && measured.after == 0, "\(measured.text)")
        #expect(measured.held == 10_000, "\(measured.text)")
    }

    /// If a limit is in force, the user's other programs can still work. A sandbox of root has its own user, and none
    /// of these limits applies to root.
    @Test(arguments: ["KOBJ-09", "KOBJ-10"])
    func `KOBJ-09, KOBJ-10: another program of an ordinary user is really tried`(_ id: String)
        async throws
    {
        let attack = try #require(Catalogue.attack(id))
        let result = try await AttackRunner().run(
            attack, under: .shipped(named: "compute"), layers: .all.subtracting(.seccomp))
        let measured = try #require(result.tries.first?.measured)
        #expect(measured.neighbour == (getuid() == 0 ? nil : true))
        #expect(measured.held > 0 && measured.held <= measured.allowed)
        #expect(result.verdict != .gotThrough)
    }

    /// A call that the filter denies takes no resource.
    @Test func `a denied call is measured as taking nothing`() async throws {
        let runner = try AttackRunner()
        for attack in Catalogue.attacks where attack.section == "KOBJ" {
            let result = try await runner.run(attack, under: .shipped(named: "base"))
            for tried in result.tries {
                guard case .stopped(let by) = tried.verdict, by.first == "seccomp", let measured = tried.measured else {
                    continue
                }
                #expect(measured.held <= measured.before + measured.allowed, "\(attack.id): \(measured.text)")
            }
        }
    }
}

/// A thread that sets and releases locks on its own file, without end.
private final class LockStorm: Sendable {
    private let isOver = Mutex(false)

    init() {
        Thread.detachNewThread { [self] in
            do throws(SystemError) {
                let file = try Descriptor.memfd("storm", size: 0)
                while !isOver.withLock({ $0 }) {
                    for place in (1...3_000).reversed() { Self.set(F_RDLCK, at: off_t(2 * place), 1, file.number) }
                    Self.set(F_UNLCK, at: 0, 0, file.number)
                }
            } catch {
                Issue.record("no file to lock: \(error)")
            }
        }
    }

    func end() { isOver.withLock { $0 = true } }

    private static func set(_ type: Int32, at start: off_t, _ length: off_t, _ file: Int32) {
        var lock = flock(
            l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: start, l_len: length, l_pid: 0)
        // The number 37 is F_OFD_SETLK, which Swift's import of the C library lacks. This call leaves the locks of
        // this process's other tests in place.
        _ = unsafe fcntl(file, 37, &lock)
    }
}
