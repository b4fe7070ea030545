import Testing

@testable import AnnexPolicy

/// The arguments that are paths, for each call of the table, on both architectures.
@Suite struct PathUseTests {
    private static let here: UInt64 = 0xFFFF_FF9C
    private static let text: UInt64 = 0x7F00_0000_1000
    private static let other: UInt64 = 0x7F00_0000_2000
    private static let size: UInt64 = 110

    /// A call and its paths in the form `register[@directory] [rights] [follow] [makes]`. A `;` separates two paths.
    static let samples: [(String, [UInt64], String)] = [
        ("open", [text, 0], "0 [read] follow"),
        ("open", [text, 1], "0 [write] follow"),
        ("open", [text, 2], "0 [read, write] follow"),
        ("open", [text, 3], "0 [read, write] follow"),
        ("open", [text, 0x200], "0 [read, write] follow"),
        ("open", [text, 0x41], "0 [write] follow makes"),
        ("open", [text, 0xC0], "0 [read, write] makes"),
        ("open", [text, 0x200000], "0 [] follow"),
        ("open", [0, 0], ""),
        ("creat", [text, 0o644], "0 [write] follow makes"),
        ("openat", [here, text, 0x80000], "1@0 [read] follow"),
        ("openat", [here, text, 0x8_0000_0000], "1@0 [read] follow"),
        ("openat2", [3, text, other, 24], "1@0 how2 follow"),
        ("name_to_handle_at", [3, text, 0, 0, 0], "1@0 []"),
        ("name_to_handle_at", [3, text, 0, 0, 0x400], "1@0 [] follow"),
        ("stat", [text], "0 [] follow"), ("lstat", [text], "0 []"),
        ("newfstatat", [here, text, 0, 0], "1@0 [] follow"), ("newfstatat", [here, text, 0, 0x100], "1@0 []"),
        ("statx", [here, text, 0], "1@0 [] follow"), ("statx", [here, text, 0x1100], "1@0 []"),
        ("statx", [3, 0, 0x1000], ""),
        ("statfs", [text], "0 [] follow"),
        ("access", [text, 0], "0 [] follow"), ("access", [text, 7], "0 [read, write, execute] follow"),
        ("faccessat", [here, text, 4], "1@0 [read] follow"),
        ("faccessat2", [here, text, 2, 0x100], "1@0 [write]"),
        ("readlink", [text], "0 []"), ("readlinkat", [3, text], "1@0 []"),
        ("execve", [text], "0 [execute] follow"), ("execveat", [3, text, 0, 0, 0], "1@0 [execute] follow"),
        ("execveat", [3, text, 0, 0, 0x100], "1@0 [execute]"),
        ("uselib", [text], "0 [read, execute] follow"),
        ("chdir", [text], "0 [] follow"), ("chroot", [text], "0 [] follow"),
        ("truncate", [text, 0], "0 [write] follow"),
        ("mkdir", [text], "0 [write] makes"), ("mkdirat", [3, text], "1@0 [write] makes"),
        ("mknod", [text], "0 [write] makes"), ("mknodat", [3, text], "1@0 [write] makes"),
        ("rmdir", [text], "0 [write]"), ("unlink", [text], "0 [write]"), ("unlinkat", [3, text, 0], "1@0 [write]"),
        ("rename", [text, other], "0 [write]; 1 [write] makes"),
        ("renameat", [3, text, 4, other], "1@0 [write]; 3@2 [write] makes"),
        ("renameat2", [3, text, 4, other, 2], "1@0 [write]; 3@2 [write] makes"),
        ("link", [text, other], "0 [write]; 1 [write] makes"),
        ("linkat", [3, text, 4, other, 0], "1@0 [write]; 3@2 [write] makes"),
        ("linkat", [3, text, 4, other, 0x400], "1@0 [write] follow; 3@2 [write] makes"),
        ("symlink", [text, other], "1 [write] makes"), ("symlinkat", [text, 3, other], "2@1 [write] makes"),
        ("chmod", [text], "0 [write] follow"), ("fchmodat", [3, text], "1@0 [write] follow"),
        ("fchmodat2", [3, text, 0, 0x100], "1@0 [write]"),
        ("chown", [text], "0 [write] follow"), ("lchown", [text], "0 [write]"),
        ("fchownat", [3, text, 0, 0, 0x100], "1@0 [write]"), ("fchownat", [3, text, 0, 0, 0], "1@0 [write] follow"),
        ("utime", [text], "0 [write] follow"), ("utimes", [text], "0 [write] follow"),
        ("futimesat", [3, text], "1@0 [write] follow"),
        ("utimensat", [3, text, 0, 0], "1@0 [write] follow"), ("utimensat", [3, 0, 0, 0], ""),
        ("setxattr", [text], "0 [write] follow"), ("lsetxattr", [text], "0 [write]"),
        ("setxattrat", [3, text, 0x100], "1@0 [write]"),
        ("getxattr", [text], "0 [read] follow"), ("lgetxattr", [text], "0 [read]"),
        ("getxattrat", [3, text, 0], "1@0 [read] follow"),
        ("listxattr", [text], "0 [read] follow"), ("llistxattr", [text], "0 [read]"),
        ("listxattrat", [3, text, 0x100], "1@0 [read]"),
        ("removexattr", [text], "0 [write] follow"), ("lremovexattr", [text], "0 [write]"),
        ("removexattrat", [3, text, 0], "1@0 [write] follow"),
        ("file_getattr", [3, text, 0, 0, 0x100], "1@0 [read]"),
        ("file_setattr", [3, text, 0, 0, 0], "1@0 [write] follow"),
        ("inotify_add_watch", [3, text, 2], "1 [read] follow"),
        ("inotify_add_watch", [3, text, 0x2000002], "1 [read]"),
        ("fanotify_mark", [3, 1, 0, here, text], "4@3 [read] follow"), ("fanotify_mark", [3, 1, 0, here, 0], ""),
        ("bind", [3, text, size], "1#2 [write] makes"), ("connect", [3, text, size], "1#2 [write] follow"),
        ("sendto", [3, other, 1, 0, text, size], "4#5 [write] follow"), ("sendto", [3, other, 1, 0, 0, 0], ""),
        ("mount", [other, text, 0, 0], "1 [write] follow"),
        ("mount", [other, text, 0, 0x1000], "0 [] follow; 1 [write] follow"),
        ("mount", [other, text, 0, 0x2000], "0 [] follow; 1 [write] follow"),
        ("umount2", [text, 0], "0 [write] follow"), ("umount2", [text, 8], "0 [write]"),
        ("pivot_root", [text, other], "0 [write] follow; 1 [write] follow"),
        ("open_tree", [3, text, 1], "1@0 [] follow"), ("open_tree_attr", [3, text, 0x100], "1@0 []"),
        ("move_mount", [3, text, 4, other, 0], "1@0 []; 3@2 [write]"),
        ("move_mount", [3, text, 4, other, 0x11], "1@0 [] follow; 3@2 [write] follow"),
        ("fspick", [3, text, 2], "1@0 []"), ("mount_setattr", [3, text, 0], "1@0 [write] follow"),
        ("fsconfig", [3, 3, other, text, here], "3@4 [] follow"), ("fsconfig", [3, 1, other, text, 0], ""),
        ("fsconfig", [3, 4, other, text, here], "3@4 [] follow"),
        ("swapon", [text], "0 [write] follow"), ("swapoff", [text], "0 [write] follow"),
        ("acct", [text], "0 [write] follow"), ("acct", [0], ""),
        ("quotactl", [0, text], "1 [read] follow"),
    ]

    @Test(arguments: Architecture.allCases)
    func `DEPUTY-07: the paths of a call follow from its registers alone`(architecture: Architecture) {
        var seen = 0
        for (name, arguments, expected) in Self.samples {
            guard let call = SystemCall(named: name, architecture: architecture) else { continue }
            let shown = call.pathUses(arguments).map(Self.shown).joined(separator: "; ")
            #expect(shown == expected, "\(architecture) \(name)\(arguments)")
            seen += 1
        }
        #expect(seen > (architecture == .x86 ? 90 : 50))
    }

    @Test func `flags that differ by architecture are read for each`() throws {
        let x86 = try #require(SystemCall(named: "openat", architecture: .x86))
        let arm = try #require(SystemCall(named: "openat", architecture: .arm))
        // 0x20000 is O_NOFOLLOW on x86-64 and O_LARGEFILE on aarch64. For 0x8000, the meanings are exchanged.
        #expect(x86.pathUses([3, Self.text, 0x20000]).map(\.followsLink) == [false])
        #expect(arm.pathUses([3, Self.text, 0x20000]).map(\.followsLink) == [true])
        #expect(x86.pathUses([3, Self.text, 0x8000]).map(\.followsLink) == [true])
        #expect(arm.pathUses([3, Self.text, 0x8000]).map(\.followsLink) == [false])
        #expect(x86.pathUses([3, Self.text, 0x410002]).map(\.makesEntry) == [true])
        #expect(arm.pathUses([3, Self.text, 0x404002]).map(\.makesEntry) == [true])
    }

    @Test func `every line of the table is understood and has a sample`() {
        let lines = PathRule.table.split(separator: "\n")
        let rules = lines.compactMap { PathRule(line: $0) }
        #expect(rules.count == lines.count)
        let tried = Set(Self.samples.map(\.0))
        for rule in rules {
            #expect(SystemCallTable.allNames.contains(rule.call), "\(rule.call)")
            #expect(tried.contains(rule.call), "\(rule.call) has no sample")
        }
    }

    /// Calls whose signature says `path` for a text that is not a path.
    private static let noPaths: Set<String> = [
        "memfd_create", "add_key", "request_key", "fsopen", "kexec_file_load", "init_module", "finit_module",
        "delete_module", "sethostname", "setdomainname", "fsetxattr", "fgetxattr", "fremovexattr",
    ]

    @Test func `the table of paths agrees with the signatures of the calls`() {
        for call in SystemCallTable.of(.x86).byName.values {
            let texts = call.pathArguments
            let registers = call.pathRules.compactMap { rule -> Int? in
                if case .path(let register) = rule.text { register } else { nil }
            }
            if Self.noPaths.contains(call.name) {
                #expect(registers.isEmpty, "\(call.name)")
            } else if !texts.isEmpty {
                #expect(!registers.isEmpty, "\(call.name)")
                // The value of fsconfig is a path only for two commands. For the other commands, it is an address.
                if call.name != "fsconfig" { #expect(Set(registers).isSubset(of: texts), "\(call.name)") }
            }
            #expect(call.takesPaths == !call.pathRules.isEmpty)
        }
    }

    @Test func `the flags of openat2 decide how its file is opened`() throws {
        let call = try #require(SystemCall(named: "openat2", architecture: .x86))
        let use = try #require(call.pathUses([3, Self.text, Self.other, 24]).first)
        let opened = use.opened(flags: 0x20241, architecture: .x86)
        #expect(opened.need == .rights(.write))
        #expect(!opened.followsLink && opened.makesEntry)
        #expect(opened.directory == 0)
    }

    @Test func `a call without registers names no path`() {
        for call in SystemCallTable.of(.x86).byName.values { #expect(call.pathUses([]).isEmpty, "\(call.name)") }
    }

    @Test(arguments: [
        "", "open", "open x read follow", "open 0 seen follow", "open 0 read maybe", "open 0 read follow if:1",
    ])
    func `a line that breaks the rules of the table is refused`(line: String) {
        #expect(PathRule(line: line[...]) == nil)
    }

    private static func shown(_ use: PathUse) -> String {
        var words: [String] = []
        switch use.text {
        case .path(let register): words.append("\(register)" + (use.directory.map { "@\($0)" } ?? ""))
        case .socketAddress(let register, let size): words.append("\(register)#\(size)")
        }
        switch use.need {
        case .rights(let rights): words.append("\(rights)")
        case .openHow(let register): words.append("how\(register)")
        }
        if use.followsLink { words.append("follow") }
        if use.makesEntry { words.append("makes") }
        return words.joined(separator: " ")
    }
}
