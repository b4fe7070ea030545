import Testing

@testable import AnnexDoctor
@testable import AnnexLaunch

/// Simulated machines, described by the texts of their system files.
@Suite struct SurroundingsTests {
    @Test func `a filter in force is read from the status of the process`() {
        #expect(Surroundings.filterMode(in: "Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n") == 2)
        #expect(Surroundings.filterMode(in: "Seccomp:\t0\n") == 0)
        #expect(Surroundings.filterMode(in: "Seccomp_filters:\t1\n") == nil)
        #expect(Surroundings.filterMode(in: "") == nil)
    }

    @Test func `mounts over proc are found and the ordinary one is not`() {
        let text = """
            22 27 0:21 / /proc rw - proc proc rw
            40 22 0:50 / /proc/sys/fs/binfmt_misc rw - autofs systemd-1 rw
            41 22 0:51 / /proc/kcore rw - tmpfs tmpfs rw
            42 22 0:52 / /proc/sys ro - proc proc rw
            broken
            """
        #expect(Surroundings.masks(in: text) == ["/proc/kcore", "/proc/sys"])
    }

    @Test(arguments: [
        (Container.Signs(files: ["/.dockerenv"]), Container.docker),
        (Container.Signs(files: ["/.dockerenv", "/run/.containerenv"]), .podman),
        (Container.Signs(word: "podman\n"), .podman),
        (Container.Signs(word: "lxc"), .lxc),
        (Container.Signs(word: "lxc-libvirt"), .lxc),
        (Container.Signs(word: "systemd-nspawn"), .nspawn),
        (Container.Signs(groups: "0::/kubepods/besteffort/pod1"), .kubernetes),
        (Container.Signs(files: ["/.dockerenv"], variables: ["KUBERNETES_SERVICE_HOST"]), .kubernetes),
        (Container.Signs(files: ["/.flatpak-info"]), .flatpak),
        (Container.Signs(variables: ["SNAP"]), .snap),
        (Container.Signs(kernel: "5.15.90.1-microsoft-standard-WSL2"), .wsl),
        (Container.Signs(word: "something"), .other),
        (Container.Signs(kernel: "6.8.0-generic", groups: "0::/init.scope"), .none),
    ])
    func `a container is recognized by its signs`(signs: Container.Signs, kind: Container) {
        #expect(Container(signs) == kind)
        #expect(!kind.remedy.isEmpty)
    }

    @Test func `the container variable of process 1 is found among others`() {
        #expect(Container.word(in: "PATH=/bin\0container=lxc\0TERM=linux\0") == "lxc")
        #expect(Container.word(in: "mycontainer=x\0") == nil)
        #expect(Container.word(in: nil) == nil)
    }

    @Test func `maps of user numbers are read`() {
        let whole = IdentityMap(text: "         0          0 4294967295\n")
        #expect(whole.contains(IdentityRange.standard))
        let rootless = IdentityMap(text: "0 1000 1\n1 100000 65536\n")
        #expect(!rootless.contains(IdentityRange.standard))
        #expect(rootless.contains(1..<65537))
        #expect(IdentityMap(text: "rubbish\n1 2\n").ranges.isEmpty)
    }

    @Test func `AppArmor of Ubuntu and an enforcing SELinux are named`() throws {
        var surroundings = Surroundings()
        surroundings.modules = Surroundings.modules(in: "lockdown,capability,landlock,yama,apparmor\n")
        surroundings.profile = "docker-default (enforce)"
        surroundings.isSELinuxEnforcing = true
        surroundings.switches = ["kernel.apparmor_restrict_unprivileged_userns": "1", "kernel.pid_max": "4194304"]
        let findings = surroundings.findings
        let byName = Dictionary(uniqueKeysWithValues: findings.map { ($0.id, $0) })
        #expect(byName["lsm"]?.seen == "lockdown,capability,landlock,yama,apparmor")
        #expect(byName["apparmor-profile"]?.level == .note)
        #expect(byName["selinux"]?.level == .note)
        let restriction = try #require(byName["kernel.apparmor_restrict_unprivileged_userns"])
        #expect(restriction.remedy?.contains("annex doctor --print apparmor-profile") == true)
        #expect(byName["kernel.pid_max"]?.level == .works)
        #expect(AppArmorProfile.text.contains("userns,"))
    }
}
