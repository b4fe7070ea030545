internal import AnnexLaunch
internal import AnnexPolicy

/// Attacks on namespaces, sockets and the network.
extension Catalogue {
    static let namespaces: [Attack] = [
        Attack(
            "NS-01", technique: "unshare(NEWUSER) regains caps for kernel attack",
            .call("unshare", with: 0x1000_0000)),
        Attack(
            "NS-02", technique: "clone() namespace flags",
            .call("clone", with: 0x1000_0211, 0, 0, 0, 0, reaching: [Number.invalid])),
        Attack(
            "NS-03", technique: "clone3 hides its flags in memory",
            .call("clone3", with: 0, 0, reaching: [Number.invalid, Number.badAddress])),
        Attack("NS-04", technique: "Negative-group ACL via setgroups", .call("setgroups", with: 0, 0)),
        Attack(
            "NS-05", technique: "Sibling extension with same uid: kill/ptrace/proc",
            .onHostProcess("see a process of the host's", layers: .process) { script, process, _ in
                .succeeds(script.call("getpgid", with: .number(process)))
            }),
        Attack(
            "NS-06", technique: "kill(-1), kill(1,9)",
            Try("signal every process of the host's group", layers: [.process, .landlock], needs: [.landlock(6)]) {
                script, canaries, _ in
                .succeeds(script.call("kill", with: .number(-canaries.hostGroup), 0))
            }),
        Attack(
            "NS-07", technique: "sethostname/clock via shared ns",
            .call("sethostname", with: 0, 65, reaching: [Number.invalid]),
            .call("setdomainname", with: 0, 65, reaching: [Number.invalid]),
            Try("the host's name", layers: .hostname) { script, canaries, _ in
                let name = script.room(390)
                let step = script.call("uname", with: name)
                return .tells(script.report(name, count: 390, after: step), Array(canaries.hostName.utf8))
            }),
        Attack(
            "NS-08", technique: "userns/mount-count exhaustion",
            Try("create user namespaces without end", else: "at most 32 deep") { script, _, _ in
                .atLeast(script.repeat("unshare", times: 64, with: 0x1000_0000), 40)
            }),
        Attack(
            "NS-09", technique: "SysV/mq memory outlives death",
            Try("the host's segment by its key", layers: .ipc) { script, canaries, _ in
                .succeeds(script.call("shmget", with: .number(canaries.service.segmentKey), 0, 0))
            },
            Try("a segment that outlives its program", layers: .ipc) { script, canaries, _ in
                let key = canaries.service.leftoverKey
                let step = script.call("shmget", with: .number(key), 4096, 0o1600)
                return .onHost(step) { TrialFacts.removeSegment(key) }
            },
            Try("a message queue", else: "the limit of message queues") { script, _, _ in
                let name = script.text("annex-trial")
                let step = script.call("mq_open", with: name, 0o102, 0o600, 0)
                script.call("mq_unlink", with: name, after: step)
                return .succeeds(step)
            }),
        Attack(
            "NS-10", technique: "Capabilities of a new user namespace used on mounts", addition: true,
            Try("unshare, then mount", layers: .landlock) { script, _, _ in
                let made = script.call("unshare", with: 0x1002_0000)
                return .succeeds(
                    script.call("mount", with: 0, script.text("/"), 0, 0x44000, 0, after: made))
            }),
        Attack(
            "NS-11", technique: "Joining a namespace of the host's", addition: true,
            .call("setns", with: -1, 0, reaching: [Number.badDescriptor])),
        Attack(
            "NS-12", technique: "Processes and files of the caller, for a program with the caller's own number",
            addition: true,
            // The kernel answers with success even if it let through none of the signals.
            .ofCaller("signal all of them", layers: .process) { script, _, _ in
                .succeeds(script.call("kill", with: -1, 0))
            },
            .onHostProcess("read the limits of one", layers: .process, byCaller: true) { script, process, _ in
                .succeeds(script.call("prlimit64", with: .number(process), 7, 0, script.room(16)))
            },
            // The kernel does not let it raise a priority. The error for that shows that it found the process.
            .onHostProcess("change the priority of one", layers: .process, byCaller: true) { script, process, _ in
                .reaches(
                    script.call("setpriority", with: 0, .number(process), 0), [Number.forbidden],
                    absent: [])
            },
            .ofCaller("become root") { script, _, _ in .succeeds(script.call("setresuid", with: 0, 0, 0)) },
            .ofCaller("give a file to a stranger") { script, canaries, _ in
                let path = script.text(canaries.writable)
                return .succeeds(
                    script.call("fchownat", with: .here, path, .number(Int64(Canaries.strangerUser)), -1, 0))
            }),
    ]

    static let sockets: [Attack] = [
        Attack(
            "SOCK-01", technique: "Abstract sockets (X11, D-Bus)",
            Try("an abstract socket of the host's", layers: [.network, .landlock], needs: [.landlock(6)]) {
                script, canaries, _ in
                .succeeds(script.connect(1, to: TrialAddress.unix([0] + Array(canaries.service.abstractName.utf8))))
            }),
        Attack(
            "SOCK-02", technique: "Path sockets (docker, ssh-agent, Wayland, user bus)",
            Try("a socket with a path", layers: [.root, .landlock], needs: [.landlock(9)]) { script, canaries, _ in
                .succeeds(script.connect(1, to: TrialAddress.unix(Array(canaries.service.path.utf8))))
            }),
        Attack(
            "SOCK-03", technique: "systemd-run / D-Bus activation starts outside code",
            Try("the system bus", layers: [.root, .landlock], needs: [.landlock(9)]) { script, _, _ in
                .succeeds(script.connect(1, to: TrialAddress.unix(Array("/run/dbus/system_bus_socket".utf8))))
            }),
        Attack(
            "SOCK-04", technique: "SO_PEERCRED of a socketpair shows broker",
            trial: .drivenBy(["AnnexLinuxTests/ControlSocketTests: the peer of a control socket is known as a process"])
        ),
        Attack(
            "SOCK-05", technique: "vsock to host CID",
            .call("socket", with: 40, 1, 0, absent: [Number.noFamily])),
        Attack(
            "SOCK-06", technique: "An abstract name of its own, at which other processes can connect (autobind)",
            addition: true,
            Try(
                "an abstract name", else: "no socket", grant: { $0.grantingLine(call: "socket", [1, 1, 0]) }
            ) { script, _, _ in
                let socket = script.call("socket", with: 1, 1, 0)
                let address = script.bytes([1, 0])
                return .succeeds(script.call("bind", with: .result(socket), address, 2, after: socket))
            }),
        Attack(
            "SOCK-07", technique: "Datagrams from a socket pair to a socket in a handed-over folder",
            addition: true,
            Try(
                "a socket pair that can send to other sockets", else: "no socket",
                grant: { $0.grantingLine(call: "socketpair", [1, 2, 0]) }
            ) { script, _, _ in
                .succeeds(script.call("socketpair", with: 1, 2, 0, script.room(8)))
            }),
        Attack(
            "SOCK-08", technique: "A file, or another user's socket, in place of the socket that a variable names",
            addition: true,
            trial: .drivenBy(["EndToEndTests/RunSocketTests: SOCK-08"])),
    ]

    static let network: [Attack] = [
        Attack(
            "NET-01", technique: "TCP to anywhere",
            Try(
                "an address outside", layers: [.network, .landlock], needs: [.landlock(4)], isBrokered: true,
                grant: { $0.network == .client ? $0.grantingLine(call: "connect") : $0.hostNetworkLine }
            ) { script, _, _ in
                let address = TrialAddress.internet([192, 0, 2, 1], port: 9)
                return .reaches(script.connect(2, kind: 0o4001, to: address), [Number.inProgress], absent: [])
            }),
        Attack(
            "NET-02", technique: "UDP/DNS/QUIC/ICMP/MPTCP past Landlock TCP rules",
            Try("a datagram to the host", layers: .network, grant: \.hostNetworkLine) { script, canaries, _ in
                let port = canaries.service.datagramPort
                let address = TrialAddress.internet([127, 0, 0, 1], port: port)
                let socket = script.call("socket", with: 2, 2, 0)
                let step = script.call(
                    "sendto", with: .result(socket), script.text("x"), 1, 0, script.bytes(address), 16, after: socket)
                let service = canaries.service
                return .onHost(step) { service.hasDatagram() }
            },
            Try("MPTCP to the host", layers: .network) { script, canaries, _ in
                let address = TrialAddress.internet([127, 0, 0, 1], port: canaries.service.streamPort)
                return .reaches(
                    script.connect(2, protocol: 262, to: address), [],
                    absent: [Number.noProtocol, Number.badDescriptor])
            }),
        Attack(
            "NET-03", technique: "Host 127.0.0.1 services",
            Try(
                "a service of the host's", layers: [.network, .landlock], needs: [.landlock(4)],
                grant: \.hostNetworkLine
            ) { script, canaries, _ in
                let address = TrialAddress.internet([127, 0, 0, 1], port: canaries.service.streamPort)
                return .succeeds(script.connect(2, to: address))
            }),
        Attack(
            "NET-04", technique: "Metadata 169.254.169.254 through proxy",
            Try(
                "a cloud's metadata", layers: [.network, .landlock], needs: [.landlock(4)], grant: \.hostNetworkLine
            ) { script, _, _ in
                let address = TrialAddress.internet([169, 254, 169, 254], port: 80)
                return .reaches(script.connect(2, kind: 0o4001, to: address), [Number.inProgress], absent: [])
            }),
        Attack(
            "NET-05", technique: "DNS rebinding / redirect in brokered fetch",
            trial: .notApplicable("Annex fetches nothing for an extension")),
        Attack(
            "NET-06", technique: "Netlink/`/sys/class/net` leak", .open("/sys/class/net"),
            Try("the name of the host's second interface", layers: .network) { script, _, _ in
                let socket = script.call("socket", with: 2, 2, 0)
                let request = script.room(40)
                script.store(2, at: request.advanced(by: 16), width: 4)
                return .reaches(
                    script.call("ioctl", with: .result(socket), 0x8910, request, after: socket), [],
                    absent: [Number.noDevice])
            }),
        Attack(
            "NET-07", technique: "Binding a port that the host's users may connect to", addition: true,
            Try(
                "bind in the host's network", layers: [.network, .landlock], needs: [.landlock(4)],
                grant: \.hostNetworkLine
            ) { script, canaries, _ in
                let address = TrialAddress.internet([127, 0, 0, 1], port: canaries.service.streamPort)
                let place = script.bytes(address)
                let socket = script.call("socket", with: 2, 1, 0)
                return .fails(script.call("bind", with: .result(socket), place, 16, after: socket), Number.inUse)
            }),
        Attack(
            "NET-08", technique: "Host services by another spelling of this machine", addition: true,
            Try(
                "0.0.0.0", layers: [.network, .landlock], needs: [.landlock(4)], grant: \.hostNetworkLine
            ) { script, canaries, _ in
                let address = TrialAddress.internet([0, 0, 0, 0], port: canaries.service.streamPort)
                return .succeeds(script.connect(2, to: address))
            },
            Try(
                "::ffff:127.0.0.1", layers: [.network, .landlock], needs: [.landlock(4)], grant: \.hostNetworkLine
            ) { script, canaries, _ in
                let address = TrialAddress.mapped([127, 0, 0, 1], port: canaries.service.streamPort)
                return .reaches(script.connect(10, to: address), [], absent: [Number.noFamily])
            }),
        Attack(
            "NET-09", technique: "An address exchanged after the broker examined it", addition: true,
            trial: .drivenBy(["AnnexAttacksTests/ConnectionTests: an address that changes while it is examined"])),
        Attack(
            "NET-10", technique: "Changing the sandbox's own network by netlink", addition: true,
            trial: .drivenBy(["AnnexSandboxTests/Programs/OpenedCallsTests: NET-10"])),
        Attack(
            "NET-11", technique: "Other ports, addresses and protocols of this machine beside an allowed port",
            addition: true, trial: .drivenBy(["EndToEndTests/RunPortTests: NET-11"])),
        Attack(
            "NET-12", technique: "A flood of connections through an allowed port", addition: true,
            trial: .drivenBy(["EndToEndTests/RunPortTests: NET-12"])),
        Attack(
            "NET-13", technique: "Another host than the named ones: by name, address, port or redirect",
            addition: true,
            trial: .drivenBy([
                "EndToEndTests/RunHostTests: NET-13", "EndToEndTests/Daemon/GrantedHostTests: NET-13",
            ])),
        Attack(
            "NET-14",
            technique:
                "A way around the connections that the broker makes to named hosts: another resolver, datagrams, "
                + "sockets of the caller",
            addition: true, trial: .drivenBy(["EndToEndTests/RunHostTests: NET-14"])),
        Attack(
            "NET-15", technique: "Another name in the ClientHello of TLS, in pieces, or none", addition: true,
            trial: .drivenBy(["EndToEndTests/RunHostTests: NET-15"])),
        Attack(
            "NET-16", technique: "A name that leads elsewhere a moment later (rebinding)", addition: true,
            trial: .drivenBy([
                "EndToEndTests/RunHostTests: NET-16", "AnnexNamesTests/NamedHostsTests: NET-16",
            ])),
        Attack(
            "NET-17", technique: "The caller's own proxy as a way to other hosts", addition: true,
            trial: .drivenBy(["EndToEndTests/RunHostTests: NET-17"])),
        Attack(
            "NET-18", technique: "A flood of connections to a named host", addition: true,
            trial: .drivenBy(["EndToEndTests/RunHostTests: NET-18"])),
        Attack(
            "NET-19", technique: "A connection that is kept after the grant of its machine was revoked", addition: true,
            trial: .drivenBy(["EndToEndTests/Daemon/GrantedHostTests: NET-19"])),
        Attack(
            "NET-20", technique: "A server that leads a background transfer to this machine, by its name or a redirect",
            addition: true, trial: .drivenBy(["EndToEndTests/Daemon/CarriedTransferTests: NET-20"])),
    ]
}
