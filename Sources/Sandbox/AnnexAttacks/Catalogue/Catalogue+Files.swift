internal import AnnexLaunch
internal import AnnexPolicy

extension Catalogue {
    static let files: [Attack] = [
        Attack(
            "FS-01", "Absolute path to host secret",
            Try("read a world-readable file", [.root, .landlock]) { script, canaries, _ in
                let told = script.readFile(canaries.secret)
                return .tells(told, canaries.secretBytes)
            },
            Try("check that it exists", .root) { script, canaries, _ in script.look(at: canaries.secret) },
            .open("/etc/shadow"), .open("/etc/passwd")),
        Attack(
            "FS-02", "`..` through an inherited dir fd",
            .leaked("enter a folder that the host left open", "fchdir")),
        Attack(
            "FS-03", "Second chroot escape",
            Try("chroot(\"/\")") { script, _, _ in .succeeds(script.call("chroot", script.text("/"))) }),
        Attack(
            "FS-04", "Old root still attached",
            Try("the host's own root in mountinfo", [.root, .landlock]) { script, canaries, _ in
                .tellsInAll(script.readWhole("/proc/self/mountinfo"), Array(canaries.rootMount.utf8))
            },
            Try("walk up out of the root", [.root, .landlock]) { script, canaries, _ in
                let path = "../../../../../../../.." + canaries.secret
                return .tells(script.readFile(path), canaries.secretBytes)
            }),
        Attack(
            "FS-05", "Mount event flows back",
            Try("the sandbox's own mounts on the host", else: "private propagation") { script, _, _ in
                .onHost(script.call("getpid"), TrialFacts.showsSandboxMounts)
            }),
        Attack(
            "FS-06", "Remount ro bind as rw",
            Try("mount(MS_REMOUNT | MS_BIND)") { script, _, _ in
                .succeeds(script.call("mount", 0, script.text("/bundle"), 0, 0x1020, 0))
            }),
        Attack(
            "FS-07", "rw submount under ro bind",
            .drivenBy(["AnnexAttacksTests/SubmountTests: FS-07"])),
        Attack(
            "FS-08", "Unmount a mask",
            Try("umount2(MNT_DETACH)") { script, _, _ in
                .succeeds(script.call("umount2", script.text("/bundle"), 2))
            }),
        Attack(
            "FS-09", "New mount API",
            Try("open_tree(OPEN_TREE_CLONE)") { script, _, _ in
                .succeeds(script.call("open_tree", .here, script.text("/"), 0x80001))
            },
            Try("open_tree of a file outside", .root) { script, canaries, _ in
                .succeeds(script.call("open_tree", .here, script.text(canaries.secret), 0x80000))
            },
            Try("fsopen") { script, _, _ in .succeeds(script.call("fsopen", script.text("tmpfs"), 1)) },
            .call("fsmount", -1, 0, 0, reaching: [Number.badDescriptor]),
            .call("fsconfig", -1, 6, 0, 0, 0, reaching: [Number.badDescriptor, Number.invalid]),
            Try("move_mount") { script, _, _ in
                .reaches(
                    script.call("move_mount", -1, script.text(""), -1, script.text(""), 0x44), [Number.badDescriptor],
                    absent: [])
            },
            Try("fspick") { script, _, _ in .succeeds(script.call("fspick", .here, script.text("/"), 0)) },
            Try("mount_setattr") { script, _, _ in
                .succeeds(script.call("mount_setattr", .here, script.text("/"), 0, script.room(32), 32))
            }),
        Attack(
            "FS-10", "Own private dir swapped for a symlink, then restart",
            .drivenBy([
                "AnnexSandboxTests/Warden/FilesTests: a source that was replaced is never bound",
                "AnnexSandboxTests/Warden/FilesTests: a link inside a bind does not redirect a mount",
            ])),
        Attack(
            "FS-11", "Symlink planted for broker's write",
            .drivenBy(["AnnexLinuxTests/BeneathTests: FS-11"])),
        Attack(
            "FS-12", "Hard link to widen a right",
            Try("link to a file outside", [.root, .landlock]) { script, canaries, _ in
                let link = canaries.drop + "/link"
                let step = script.call(
                    "linkat", .here, script.text(canaries.writable), .here, script.text(link), 0)
                return .onHost(step) { TrialFacts.take(link) }
            }),
        Attack(
            "FS-13", "Rename into laxer dir",
            Try("rename from one folder outside to another", [.root, .landlock]) { script, canaries, _ in
                let (from, to) = (canaries.drop + "/moved", canaries.elsewhere + "/moved")
                let step = script.call("renameat2", .here, script.text(from), .here, script.text(to), 0)
                return .onHost(step) { TrialFacts.moveBack(to, from) }
            }),
        Attack(
            "FS-14", "setuid / file-cap binary",
            Try(
                "execute a set-user-ID program", [.user, .root, .noNewPrivileges, .landlock], needs: [.root]
            ) { script, canaries, _ in
                var again = TrialScript()
                let user = again.call("geteuid")
                script.execute(canaries.setUserProgram, then: again)
                return .atLeast(user + TrialScript.againFrom, Int64(Canaries.strangerUser))
            },
            Try(
                "execute a program with a file capability", [.root, .capabilities, .noNewPrivileges, .landlock],
                // Without a user namespace, the warden's own bounding set stops this try, whatever layers the sandbox
                // has.
                needs: [.root, .layer(.user)]
            ) { script, canaries, _ in
                var again = TrialScript()
                let held = again.capabilities()
                script.execute(canaries.capableProgram, then: again)
                return .tells(held + TrialScript.againFrom, [0, 4, 0, 0])
            }),
        Attack(
            "FS-15", "mknod or existing node",
            Try("mknod with the numbers of /dev/mem") { script, canaries, _ in
                let node = script.text(canaries.drop + "/link")
                return .succeeds(script.call("mknodat", .here, node, 0o020666, 0x101))
            },
            .open("/dev/mem"), .open("/dev/kmsg", Flags.writeOnly)),
        Attack("FS-16", "FUSE mount", .open("/dev/fuse", Flags.readWrite)),
        Attack(
            "FS-17", "memfd + execveat runs unlisted code",
            Try("execute a program in its own memory") { script, _, _ in
                script.executeMemory(TrialPrograms.own)
                return .runsAgain
            }),
        Attack(
            "FS-18", "Exec of shell later",
            Try("execute its own program again", grant: { $0.grantingLine(call: "execve") }) { script, canaries, _ in
                script.execute("/bundle/trial", then: TrialScript())
                script.execute(canaries.bundleProgram, then: nil)
                return .runsAgain
            },
            Try("execute a program outside", [.root, .landlock]) { script, canaries, _ in
                script.execute(canaries.program, then: TrialScript())
                return .runsAgain
            }),
        Attack(
            "FS-19", "Overwrite host or own executable (/proc/self/exe, CVE-2019-5736)",
            .open("/bundle/trial", Flags.writeOnly, layers: [.root, .landlock], else: "it is being executed"),
            .open("/proc/self/exe", Flags.writeOnly, layers: [.root, .landlock], else: "it is being executed"),
            Try("write to a file of the host", [.root, .landlock]) { script, canaries, _ in
                .succeeds(script.call("openat", .here, script.text(canaries.writable), 0o2000001, 0))
            }),
        Attack(
            "FS-20", "Page-cache poisoning by splice/AF_ALG (CVE-2026-31431)",
            .call("socket", 38, 5, 0, absent: [Number.noFamily])),
        Attack(
            "FS-21", "chmod/chown/utime/xattr on \"read-only\" files (no Landlock right)",
            Try("change the times of a file outside", .root) { script, canaries, _ in
                .succeeds(script.call("utimensat", .here, script.text(canaries.writable), 0, 0))
            },
            Try("change the mode of a file outside", .root) { script, canaries, _ in
                .succeeds(script.call("fchmodat", .here, script.text(canaries.secret), 0o644))
            },
            Try("change the owner of a file outside", .root) { script, canaries, _ in
                .succeeds(script.call("fchownat", .here, script.text(canaries.writable), -1, -1, 0))
            },
            Try("set an attribute of a file outside", .root) { script, canaries, _ in
                let (path, name, value) = (
                    script.text(canaries.writable), script.text("user.annex"), script.text("x")
                )
                return .reaches(script.call("setxattr", path, name, value, 1, 0), [], absent: [Number.unsupported])
            }),
        Attack(
            "FS-22", "Rights of fds opened before restriction",
            Try("count descriptors beyond its own", else: "no descriptor is inherited") { script, _, _ in
                .atLeast(script.scan("fcntl", 0..<1024, 1), Canaries.descriptors + 1)
            }),
        Attack(
            "FS-23", "One huge (sparse) file",
            Try("a memfd of a tebibyte", else: "the limit of a file's size") { script, _, _ in
                let file = script.call("memfd_create", script.text("huge"), 0)
                return .succeeds(script.call("ftruncate", .result(file), 0x100_0000_0000))
            }),
        Attack(
            "FS-24", "Inode bomb",
            Try(
                "create files without end in its private directory", else: "the private directory's inodes",
                needs: [.layer([.user, .mount, .root])]
            ) { script, _, policy in
                guard let inodes = policy.scratchInodes else { return .survives(-1) }
                let most = min(inodes + 16, 65_536)
                return .atLeast(
                    script.conduct(.files, script.text(policy.paths.privatePath), .value(most)), Int64(inodes) + 1)
            }),
        Attack(
            "FS-25", "10 000-deep dir or hostile names to stall cleanup",
            .drivenBy(["AnnexBundleTests/HostileBundleTests: FS-25"])),
        Attack(
            "FS-26", "FIFO/socket/device in drop dir",
            .drivenBy(["AnnexModelTests/ItemTests: FS-26", "AnnexBundleTests/HostileBundleTests: FS-26"])),
        Attack(
            "FS-27", "inotify/fanotify spying or watch bomb",
            .call("inotify_init1", 0), .call("fanotify_init", 0x200, 0)),
        Attack(
            "FS-28", "Changes through a read-only descriptor: mode, attributes, locks, leases", addition: true,
            .call("fchmod", .number(Canaries.gift), 0o666, grantable: true),
            .call("flock", .number(Canaries.gift), 2, grantable: true),
            .call("fcntl", .number(Canaries.gift), 1024, 0, grantable: true),
            .call("fchown", .number(Canaries.gift), -1, -1, grantable: true)),
        Attack(
            "FS-29", "fchmodat2, file_setattr, open_tree_attr: newer calls with the rights of old ones",
            addition: true,
            Try("fchmodat2", .root) { script, canaries, _ in
                .succeeds(script.call(number: 452, [.here, script.text(canaries.secret), 0o644, 0]))
            },
            Try("open_tree_attr", .root) { script, canaries, _ in
                let path = script.text(canaries.secret)
                return .succeeds(script.call(number: 467, [.here, path, 0x80000, script.room(32), 32]))
            }),
        Attack(
            "FS-30", "File handles instead of paths", addition: true,
            Try("name_to_handle_at", .root) { script, canaries, _ in
                let (path, handle, mount) = (script.text(canaries.secret), script.room(160), script.room(8))
                script.store(128, at: handle, width: 4)
                return .reaches(
                    script.call("name_to_handle_at", .here, path, handle, mount, 0), [], absent: [Number.unsupported])
            },
            .call("open_by_handle_at", -1, 0, 0, reaching: [Number.badAddress, Number.badDescriptor])),
        Attack(
            "FS-31", "Mounts and their secrets by listmount and statmount", addition: true,
            Try("the host's own root by its number", [.mount, .root]) { script, canaries, _ in
                let request = script.words([24, .value(canaries.rootNumber), 1])
                return .succeeds(script.call(number: 457, [request, script.room(512), 512, 0]))
            }),
        Attack(
            "FS-32", "Truncating a file outside", addition: true,
            Try("truncate", [.root, .landlock], needs: [.landlock(3)]) { script, canaries, _ in
                .succeeds(script.call("truncate", script.text(canaries.writable), 0))
            }),
        Attack(
            "FS-33", "A link planted for the next run, to be handed over or to receive its report", addition: true,
            .drivenBy(["EndToEndTests/GrantedLinkTests: FS-10", "EndToEndTests/GrantedLinkTests: FS-11"])),
    ]
}
