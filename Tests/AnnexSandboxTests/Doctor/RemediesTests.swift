import AnnexPolicy
import Glibc
import Testing

@testable import AnnexDoctor
@testable import AnnexLaunch

/// Finds the true cause among the causes that could explain an error.
@Suite struct RemediesTests {
    private static func missing(_ layer: SandboxLayer, _ step: LaunchStep, _ errno: Int32) -> MissingLayer {
        MissingLayer(layer: layer, failure: LaunchFailure(step, errno: errno, remedy: "what the step itself knows"))
    }

    private static func surroundings(_ change: (inout Surroundings) -> Void) -> Remedies {
        var surroundings = Surroundings()
        change(&surroundings)
        return Remedies(surroundings)
    }

    @Test func `a switch that is off is always the cause`() {
        let remedies = Self.surroundings {
            $0.switches = ["user.max_user_namespaces": "0"]
            $0.hasFilter = true
            $0.container = .docker
        }
        #expect(
            remedies.remedy(of: Self.missing(.user, .clone, ENOSPC)) == "sudo sysctl -w user.max_user_namespaces=10000")
    }

    @Test func `the remedies name the switch of Debian and the AppArmor of Ubuntu`() {
        let debian = Self.surroundings { $0.switches = ["kernel.unprivileged_userns_clone": "0"] }
        #expect(
            debian.remedy(of: Self.missing(.user, .clone, EPERM)) == "sudo sysctl -w kernel.unprivileged_userns_clone=1"
        )
        let ubuntu = Self.surroundings { $0.switches = ["kernel.apparmor_restrict_unprivileged_userns": "1"] }
        #expect(ubuntu.remedy(of: Self.missing(.user, .maps, EACCES)) == AppArmorProfile.installation)
    }

    @Test func `the filter of a container is the cause before AppArmor`() throws {
        let remedies = Self.surroundings {
            $0.switches = ["kernel.apparmor_restrict_unprivileged_userns": "1"]
            $0.hasFilter = true
            $0.container = .docker
        }
        let remedy = try #require(remedies.remedy(of: Self.missing(.user, .clone, EPERM)))
        #expect(remedy.contains("seccomp filter") && remedy.contains("docker run --security-opt seccomp=annex.json"))
    }

    @Test func `a used-up number of namespaces names its switch`() {
        let remedies = Self.surroundings { _ in }
        #expect(
            remedies.remedy(of: Self.missing(.network, .clone, ENOSPC))
                == "sudo sysctl -w user.max_net_namespaces=10000")
        #expect(remedies.remedy(of: Self.missing(.ipc, .clone, EINVAL)) == "what the step itself knows")
    }

    @Test func `the remedy for Landlock without its boot parameter names the present ones`() {
        let remedies = Self.surroundings { $0.modules = ["capability", "apparmor"] }
        #expect(
            remedies.remedy(of: Self.missing(.landlock, .landlock, EOPNOTSUPP))
                == "add landlock to the boot parameter: lsm=landlock,capability,apparmor")
    }

    @Test func `low limits and a full run folder weaken a machine`() {
        for need in ResourceExamination.needs {
            #expect(ResourceExamination.finding(need, soft: need.least - 1).level == .weaker)
            #expect(ResourceExamination.finding(need, soft: need.least).level == .works)
        }
        #expect(ResourceExamination.room(free: 4096).level == .weaker)
        #expect(ResourceExamination.room(free: 1 << 30).level == .works)
        let rootless = IdentityMap(text: "0 1000 1\n1 100000 65536\n")
        #expect(ResourceExamination.identities(rootless, claim: nil).level == .note)
        let few = IdentityMap(text: "0 0 1\n")
        #expect(ResourceExamination.identities(few, claim: nil).level == .missing)
    }

    @Test func `a user scope is offered if it helps`() {
        let scope = ControlGroupExamination.scope(reach: ("/run/user/1000/systemd/private", 0), isNeeded: true)
        #expect(scope.remedy == "systemd-run --user --scope -p Delegate=yes -- COMMAND")
        let none = ControlGroupExamination.scope(reach: ("/run/user/1000/systemd/private", ENOENT), isNeeded: true)
        #expect(none.seen.contains("ENOENT") && none.level == .note)
        #expect(ControlGroupExamination.memory([]).level == .weaker)
    }
}
