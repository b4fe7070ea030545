import Testing

@testable import AnnexPolicy

/// The table of the layers is derived from the policy and must agree with its verdicts.
@Suite struct LayerTableTests {
    @Test(arguments: PolicyLibrary.shipped.names, Architecture.allCases)
    func `every statement of a shipped policy is held by at least one layer`(name: String, architecture: Architecture)
        throws
    {
        let policy = try Policy.shipped(named: name, for: architecture)
        let table = policy.layerTable()
        #expect(Set(table.rows.map(\.statement)).count == table.rows.count)
        for row in table.rows where row.elsewhere == nil {
            // There are two exceptions. The first is uprobe and uretprobe of x86-64, which no filter sees. The second
            // is files that are read without being executed.
            if row.statement == .otherCalls && architecture == .x86 { continue }
            if case .withheld(_, .execute) = row.statement { continue }
            // If a program is started later, execve gives it the memory that its header requests. No layer checks this.
            if row.statement == .writeXorExecute, policy.allowedCalls.contains("execve") {
                #expect(row.parts[.seccomp] != .whole)
                continue
            }
            // The kernel counts these times from the machine's start, even inside a time namespace.
            if row.statement == .machineStart, policy.allowedCalls.contains("times") {
                #expect(row.parts[.time]?.gap == "times and /proc/self/sched still count from the machine's start")
                continue
            }
            #expect(!row.holders.isEmpty, "\(row.statement)")
        }
        for name in policy.allowedCalls where !LaunchCalls.names.contains(name) && name != LaunchCalls.exec {
            #expect(table.row(.call(name))?.holders == [.seccomp], "\(name)")
        }
    }

    @Test func `each path is held by the layers that its verdict names`() throws {
        let policy = try PolicySamples.policy(PathVerdictTests.text)
        let table = policy.layerTable()
        var seen = 0
        for row in table.rows {
            guard case .withheld(let path, let right) = row.statement else { continue }
            let refusing = policy.verdict(path: path, rights: right).deniedBy
            for layer in [SandboxLayer.mount, .landlock] {
                let part = try #require(row.parts[layer])
                let canSay = if case .none = part { false } else { true }
                #expect(canSay == refusing.contains(layer), "\(path) \(right) \(layer)")
            }
            seen += 1
        }
        #expect(seen > 8)
        #expect(
            table.row(.withheld(path: "/srv/work/history", .write))?.parts[.landlock]
                == LayerPart.none("a Landlock rule cannot remove a right that /srv/work gives"))
    }

    @Test func `a statement that rests on one layer falls with it`() throws {
        let compute = try Policy.shipped(named: "compute").layerTable()
        // Only the call stat could name a file.
        #expect(compute.row(.otherFiles(.contents))?.holders == [.root, .landlock, .seccomp])
        #expect(compute.row(.otherFiles(.existence))?.holders == [.root])
        #expect(compute.fallen(without: [.root]).map(\.statement) == [.otherFiles(.existence)])
        #expect(compute.fallen(without: [.landlock]) == [])
        #expect(compute.fallen(without: [.network]) == [])
        #expect(compute.row(.network)?.holds(without: [.network, .seccomp]) == false)
        let lost = compute.fallen(without: [.seccomp]).map(\.statement)
        #expect(lost.contains(.writeXorExecute) && lost.contains(.namespaces) && lost.contains(.call("mmap")))
        #expect(!lost.contains(.mounts) && !lost.contains(.signals))
    }

    @Test func `a policy that allows sockets rests on its network namespace`() throws {
        let policy = try PolicySamples.policy("allow: [{ reason: a, calls: [socket, connect] }]")
        let table = policy.layerTable()
        #expect(table.row(.network)?.holders == [.network])
        #expect(
            table.row(.network)?.parts[.seccomp]?.gap == "the policy allows socket, and seccomp cannot read addresses")
        let open = try PolicySamples.policy("network: host\nallow: [{ reason: a, calls: [socket, connect] }]")
        #expect(open.layerTable().row(.network) == nil)
    }

    @Test func `every limit is held outside the layers and has its place`() throws {
        let table = try Policy.shipped(named: "base").layerTable()
        for name in LimitName.allCases {
            let row = try #require(table.row(.limit(name.rawValue)))
            #expect(row.elsewhere != nil && row.place?.file == "base.yaml")
        }
    }
}
