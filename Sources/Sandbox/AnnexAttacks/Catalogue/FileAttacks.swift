internal import AnnexLaunch
internal import AnnexPolicy

/// Attacks on files and on the paths that lead to them.
extension Catalogue {
    static let files: [Attack] = [
        Attack(
            "FS-01", technique: "Absolute path to host secret",
            Try("read a world-readable file", layers: [.root, .landlock]) { script, canaries, _ in
                let told = script.readFile(canaries.secret)
                return .tells(told, canaries.secretBytes)
            },
            Try("check that it exists", layers: .root) { script, canaries, _ in script.checkFile(at: canaries.secret) },
            .open("/etc/shadow"),
            Try("read which users the host has", layers: [.root, .landlock]) { script, canaries, _ in
                .tells(script.readFile("/etc/passwd"), canaries.hostUser)
            }),
        Attack(
            "FS-02", technique: "`..` through an inherited dir fd",
            .leaked("enter a folder that the host left open", call: "fchdir")),
        Attack(
            "FS-03", technique: "Second chroot escape",
            Try("chroot(\"/\")") { script, _, _ in .succeeds(script.call("chroot", with: script.text("/"))) }),
        Attack(
            "FS-04", technique: "Old root still attached",
            Try("the host's own root in mountinfo", layers: [.root, .landlock]) { script, canaries, _ in
                .tellsInAll(script.readWhole("/proc/self/mountinfo"), Array(canaries.rootMount.utf8))
            },
            Try("walk up out of the root", layers: [.root, .landlock]) { script, canaries, _ in
                let path = "../../../../../../../.." + canaries.secret
                return .tells(script.readFile(path), canaries.secretBytes)
            }),
        Attack(
            "FS-05", technique: "Mount event flows back",
            Try("the sandbox's own mounts on the host", else: "private propagation") { script, _, _ in
                .onHost(script.call("getpid"), TrialFacts.showsSandboxMounts)
            }),
        Attack(
            "FS-06", technique: "Remount ro bind as rw",
            Try("mount(MS_REMOUNT | MS_BIND)") { script, _, _ in
                .succeeds(script.call("mount", with: 0, script.text("/bundle"), 0, 0x1020, 0))
            }),
        Attack(
            "FS-07", technique: "rw submount under ro bind",
            trial: .drivenBy(["AnnexAttacksTests/SubmountTests: FS-07"])),
        Attack(
            "FS-08", technique: "Unmount a mask",
            Try("umount2(MNT_DETACH)") { script, _, _ in
                .succeeds(script.call("umount2", with: script.text("/bundle"), 2))
            }),
        Attack(
            "FS-09", technique: "New mount API",
            Try("open_tree(OPEN_TREE_CLONE)") { script, _, _ in
                .succeeds(script.call("open_tree", with: .here, script.text("/"), 0x80001))
            },
            Try("open_tree of a file outside", layers: .root) { script, canaries, _ in
                .succeeds(script.call("open_tree", with: .here, script.text(canaries.secret), 0x80000))
            },
            Try("fsopen") { script, _, _ in .succeeds(script.call("fsopen", with: script.text("tmpfs"), 1)) },
            .call("fsmount", with: -1, 0, 0, reaching: [Number.badDescriptor]),
            .call("fsconfig", with: -1, 6, 0, 0, 0, reaching: [Number.badDescriptor, Number.invalid]),
            Try("move_mount") { script, _, _ in
                .reaches(
                    script.call("move_mount", with: -1, script.text(""), -1, script.text(""), 0x44),
                    [Number.badDescriptor],
                    absent: [])
            },
            Try("fspick") { script, _, _ in .succeeds(script.call("fspick", with: .here, script.text("/"), 0)) },
            Try("mount_setattr") { script, _, _ in
                .succeeds(script.call("mount_setattr", with: .here, script.text("/"), 0, script.room(32), 32))
            }),
        Attack(
            "FS-10", technique: "Own private dir swapped for a symlink, then restart",
            trial: .drivenBy([
                "AnnexSandboxTests/Warden/FilesTests: a source that was replaced is never bound",
                "AnnexSandboxTests/Warden/FilesTests: a link inside a bind does not redirect a mount",
            ])),
        Attack(
            "FS-11", technique: "Symlink planted for broker's write",
            trial: .drivenBy(["AnnexLinuxTests/BeneathTests: FS-11"])),
        Attack(
            "FS-12", technique: "Hard link to widen a right",
            Try("link to a file outside", layers: [.root, .landlock]) { script, canaries, _ in
                let link = canaries.drop + "/link"
                let step = script.call(
                    "linkat", with: .here, script.text(canaries.writable), .here, script.text(link), 0)
                return .onHost(step) { TrialFacts.remove(link) }
            }),
        Attack(
            "FS-13", technique: "Rename into laxer dir",
            Try("rename from one folder outside to another", layers: [.root, .landlock]) { script, canaries, _ in
                let (from, to) = (canaries.drop + "/moved", canaries.elsewhere + "/moved")
                let step = script.call("renameat2", with: .here, script.text(from), .here, script.text(to), 0)
                return .onHost(step) { TrialFacts.undoMove(to: to, from: from) }
            }),
        Attack(
            "FS-14", technique: "setuid / file-cap binary",
            Try(
                "execute a set-user-ID program", layers: [.user, .root, .noNewPrivileges, .landlock], needs: [.root]
            ) { script, canaries, _ in
                var again = TrialScript()
                let user = again.call("geteuid")
                script.execute(canaries.setUserProgram, then: again)
                return .atLeast(user + TrialScript.againFrom, Int64(Canaries.strangerUser))
            },
            Try(
                "execute a program with a file capability",
                layers: [.root, .capabilities, .noNewPrivileges, .landlock],
                // Without a user namespace, the warden's own bounding set stops this try, regardless of the sandbox's
                // layers.
                needs: [.root, .layer(.user)]
            ) { script, canaries, _ in
                var again = TrialScript()
                let held = again.capabilities()
                script.execute(canaries.capableProgram, then: again)
                return .tells(held + TrialScript.againFrom, [0, 4, 0, 0])
            }),
        Attack(
            "FS-15", technique: "mknod or existing node",
            Try("mknod with the numbers of /dev/mem") { script, canaries, _ in
                let node = script.text(canaries.drop + "/link")
                return .succeeds(script.call("mknodat", with: .here, node, 0o020666, 0x101))
            },
            .open("/dev/mem"), .open("/dev/kmsg", flags: Flags.writeOnly)),
        Attack("FS-16", technique: "FUSE mount", .open("/dev/fuse", flags: Flags.readWrite)),
        Attack(
            "FS-17", technique: "memfd + execveat runs unlisted code",
            Try("execute a program in its own memory") { script, _, _ in
                script.executeMemory(TrialPrograms.own)
                return .runsAgain
            }),
        Attack(
            "FS-18", technique: "Exec of shell later",
            Try("execute its own program again", grant: { $0.grantingLine(call: "execve") }) { script, canaries, _ in
                script.execute("/bundle/trial", then: TrialScript())
                script.execute(canaries.bundleProgram, then: nil)
                return .runsAgain
            },
            Try("execute a program outside", layers: [.root, .landlock]) { script, canaries, _ in
                script.execute(canaries.program, then: TrialScript())
                return .runsAgain
            }),
        Attack(
            "FS-19", technique: "Overwrite host or own executable (/proc/self/exe, CVE-2019-5736)",
            .open("/bundle/trial", flags: Flags.writeOnly, layers: [.root, .landlock], else: "it is being executed"),
            .open("/proc/self/exe", flags: Flags.writeOnly, layers: [.root, .landlock], else: "it is being executed"),
            Try("write to a file of the host", layers: [.root, .landlock]) { script, canaries, _ in
                .succeeds(script.call("openat", with: .here, script.text(canaries.writable), 0o2000001, 0))
            }),
        Attack(
            "FS-20", technique: "Page-cache poisoning by splice/AF_ALG (CVE-2026-31431)",
            .call("socket", with: 38, 5, 0, absent: [Number.noFamily])),
        Attack(
            "FS-21", technique: "chmod/chown/utime/xattr on \"read-only\" files (no Landlock right)",
            Try("change the times of a file outside", layers: .root) { script, canaries, _ in
                .succeeds(script.call("utimensat", with: .here, script.text(canaries.writable), 0, 0))
            },
            Try("change the mode of a file outside", layers: .root) { script, canaries, _ in
                .succeeds(script.call("fchmodat", with: .here, script.text(canaries.secret), 0o644))
            },
            Try("change the owner of a file outside", layers: .root) { script, canaries, _ in
                .succeeds(script.call("fchownat", with: .here, script.text(canaries.writable), -1, -1, 0))
            },
            Try("set an attribute of a file outside", layers: .root) { script, canaries, _ in
                let (path, name, value) = (
                    script.text(canaries.writable), script.text("user.annex"), script.text("x")
                )
                return .reaches(
                    script.call("setxattr", with: path, name, value, 1, 0), [], absent: [Number.unsupported])
            }),
        Attack(
            "FS-22", technique: "Rights of fds opened before restriction",
            Try("count descriptors beyond its own", else: "no descriptor is inherited") { script, _, _ in
                .atLeast(script.scan("fcntl", over: 0..<1024, second: 1), Canaries.descriptors + 1)
            }),
        Attack(
            "FS-23", technique: "One huge (sparse) file",
            Try("a memfd of a tebibyte", else: "the limit of a file's size") { script, _, _ in
                let file = script.call("memfd_create", with: script.text("huge"), 0)
                return .succeeds(script.call("ftruncate", with: .result(file), 0x100_0000_0000))
            }),
        Attack(
            "FS-24", technique: "Inode bomb",
            Try(
                "create files without end in its private directory", else: "the private directory's inodes",
                needs: [.layer([.user, .mount, .root])]
            ) { script, _, policy in
                guard let scratch = policy.paths.scratch else { return .survives(-1) }
                let most = min(scratch.inodes + 16, 65_536)
                return .atLeast(
                    script.conduct(.files, with: script.text(scratch.path), .value(most)), Int64(scratch.inodes) + 1)
            }),
        Attack(
            "FS-25", technique: "10 000-deep dir or hostile names to stall cleanup",
            trial: .drivenBy(["AnnexBundleTests/HostileBundleTests: FS-25", "AnnexLinuxTests/EmptyingTests: FS-25"])),
        Attack(
            "FS-26", technique: "FIFO/socket/device in drop dir",
            trial: .drivenBy(["AnnexModelTests/ItemTests: FS-26", "AnnexBundleTests/HostileBundleTests: FS-26"])),
        Attack(
            "FS-27", technique: "inotify/fanotify spying or watch bomb",
            Try(
                "watch what other programs open", grant: { $0.grantingLine(call: "inotify_add_watch", [3, 0, 0x20]) }
            ) { script, _, _ in
                let queue = script.call("inotify_init1", with: 0)
                return .succeeds(
                    script.call("inotify_add_watch", with: .result(queue), script.text("/"), 0x20, after: queue))
            },
            Try("more queues than its part of the user's", layers: .user, needs: [.layer(.user)]) { script, _, _ in
                for _ in 0..<WatchBounds.ofMachine.queues { _ = script.call("inotify_init1", with: 0) }
                return .succeeds(script.call("inotify_init1", with: 0))
            }, .call("fanotify_init", with: 0x200, 0)),
        Attack(
            "FS-28", technique: "Changes through a read-only descriptor: mode, attributes, locks, leases",
            addition: true,
            .call("fchmod", with: .number(Canaries.gift), 0o666, grantable: true),
            .call("flock", with: .number(Canaries.gift), 2, grantable: true),
            .call("fcntl", with: .number(Canaries.gift), 1024, 0, grantable: true),
            .call("fchown", with: .number(Canaries.gift), -1, -1, grantable: true)),
        Attack(
            "FS-29", technique: "fchmodat2, file_setattr, open_tree_attr: newer calls with the rights of old ones",
            addition: true,
            Try("fchmodat2", layers: .root) { script, canaries, _ in
                .succeeds(script.call(number: 452, [.here, script.text(canaries.secret), 0o644, 0]))
            },
            Try("open_tree_attr", layers: .root) { script, canaries, _ in
                let path = script.text(canaries.secret)
                return .succeeds(script.call(number: 467, [.here, path, 0x80000, script.room(32), 32]))
            }),
        Attack(
            "FS-30", technique: "File handles instead of paths", addition: true,
            Try("name_to_handle_at", layers: .root) { script, canaries, _ in
                let (path, handle, mount) = (script.text(canaries.secret), script.room(160), script.room(8))
                script.store(128, at: handle, width: 4)
                return .reaches(
                    script.call("name_to_handle_at", with: .here, path, handle, mount, 0), [],
                    absent: [Number.unsupported])
            },
            .call("open_by_handle_at", with: -1, 0, 0, reaching: [Number.badAddress, Number.badDescriptor])),
        Attack(
            "FS-31", technique: "Mounts and their secrets by listmount and statmount", addition: true,
            Try("the host's own root by its number", layers: [.mount, .root]) { script, canaries, _ in
                let request = script.words([24, .value(canaries.rootNumber), 1])
                return .succeeds(script.call(number: 457, [request, script.room(512), 512, 0]))
            }),
        Attack(
            "FS-32", technique: "Truncating a file outside", addition: true,
            Try("truncate", layers: [.root, .landlock], needs: [.landlock(3)]) { script, canaries, _ in
                .succeeds(script.call("truncate", with: script.text(canaries.writable), 0))
            }),
        Attack(
            "FS-33", technique: "A link planted for the next run, to be handed over or to receive its report",
            addition: true,
            trial: .drivenBy(["EndToEndTests/GrantedLinkTests: FS-10", "EndToEndTests/GrantedLinkTests: FS-11"])),
        Attack(
            "FS-34", technique: "The private directory of another extension, app or user", addition: true,
            trial: .drivenBy(["EndToEndTests/PrivateDirectoryTests: FS-34"])),
        Attack(
            "FS-35", technique: "A link in place of the private directory, for the next launch", addition: true,
            trial: .drivenBy(["EndToEndTests/PrivateDirectoryTests: FS-35"])),
        Attack(
            "FS-36", technique: "More files or bytes than the private directory may keep", addition: true,
            trial: .drivenBy(["EndToEndTests/PrivateDirectoryTests: FS-36"])),
        Attack(
            "FS-37", technique: "Links, deep trees and hostile names that outlive the extension, to be removed",
            addition: true,
            trial: .drivenBy(["EndToEndTests/PrivateDirectoryTests: FS-37"])),
        Attack(
            "FS-38", technique: "Executing a written file beside code of the caller", addition: true,
            trial: .drivenBy(["AnnexSandboxTests/Programs/ExecutionTests: FS-38"])),
        Attack(
            "FS-39", technique: "Moving, replacing or linking a place with fewer rights inside a writable place",
            addition: true,
            trial: .drivenBy(["AnnexSandboxTests/Programs/NarrowerPlaceTests: FS-39"])),
        Attack(
            "FS-40", technique: "Writing to a named pipe or device of a read-only place inside a writable place",
            addition: true,
            trial: .drivenBy(["AnnexSandboxTests/Programs/NarrowerPlaceTests: FS-40"])),
        Attack(
            "FS-41", technique: "A fast writer between two looks at a limit on disk", addition: true,
            trial: .drivenBy([
                "AnnexSandboxTests/Programs/FastWriterTests: FS-41", "AnnexSandboxTests/FreeSpaceTests: FS-41",
                "EndToEndTests/AppGroupTests: FS-41",
            ])),
        Attack(
            "FS-42", technique: "A file .git that names another repository; hooks and settings behind a worktree",
            addition: true,
            trial: .drivenBy(["EndToEndTests/RunGitTests: FS-42"])),
        Attack(
            "FS-43", technique: "Reading, moving, linking or replacing a hidden part of a directory", addition: true,
            trial: .drivenBy(["AnnexSandboxTests/Programs/PartTests: FS-43"])),
        Attack(
            "FS-44", technique: "Changing, moving, linking or replacing a protected part of a writable directory",
            addition: true,
            trial: .drivenBy(["AnnexSandboxTests/Programs/PartTests: FS-44"])),
    ]
}
