import AnnexAttacks
import AnnexLaunch
import AnnexLinux
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

/// With `network: client`, the broker connects a program to other machines, but to no service of this machine.
@Suite(.timeLimit(.minutes(20))) struct ConnectionTests {
    static let policy = "com.apple.widget-extension+com.apple.security.network.client"

    private static func connect(_ script: inout TrialScript, to address: TrialArgument, kind: Int64 = 1) -> Int {
        let socket = script.call("socket", with: 2, .number(kind), 0)
        return script.call("connect", with: .result(socket), address, 16, after: socket)
    }

    @Test(arguments: [1, 0o4001] as [Int64])
    func `NET-03: a connection to this machine fails and is reported with its address`(kind: Int64) async throws {
        let listener = try Listener()
        var script = TrialScript()
        let step = Self.connect(
            &script, to: script.bytes(TestAddress.four([127, 0, 0, 1], port: listener.port)), kind: kind)
        let outcome = try await TrialSandbox().run(script, under: .shipped(named: Self.policy))
        #expect(outcome.answers.errno(step) == EACCES)
        let denial = try #require(outcome.end.denials.first)
        #expect(denial.text.hasSuffix(", 127.0.0.1:\(listener.port))") && denial.call == "connect")
        #expect(denial.reason == "the address belongs to this machine" && denial.answer == .denied(errno: EACCES))
        #expect(denial.policyLine?.hasPrefix("entitlements/com.apple.security.network.client.yaml:") == true)
        #expect(!listener.accepts())
    }

    @Test func `an address of another machine is the kernel to decide about`() async throws {
        var script = TrialScript()
        let step = Self.connect(&script, to: script.bytes(TestAddress.four([192, 0, 2, 77], port: 9)), kind: 0o4001)
        let outcome = try await TrialSandbox().run(script, under: .shipped(named: Self.policy))
        // If the address has a route, the connection begins. The broker denies no call and reports no denial.
        #expect([EINPROGRESS, ENETUNREACH, EHOSTUNREACH, ECONNREFUSED].contains(outcome.answers.errno(step) ?? 0))
        #expect(outcome.end.denials.isEmpty)
    }

    @Test func `the mistakes of a program get the errors of the kernel`() async throws {
        var script = TrialScript()
        let address = script.bytes(TestAddress.four([192, 0, 2, 77], port: 9))
        let unix = script.bytes([1, 0] + Array("/x".utf8) + [UInt8](repeating: 0, count: 12))
        let none = script.bytes([UInt8](repeating: 0, count: 16))
        let socket = script.call("socket", with: 2, 1, 0)
        let wanted: [(step: Int, errno: Int32)] = [
            (script.call("connect", with: 99, address, 16), EBADF),
            (script.call("connect", with: 0, address, 16), ENOTSOCK),
            (script.call("connect", with: .result(socket), 8, 16), EFAULT),
            (script.call("connect", with: .result(socket), address, 0), EINVAL),
            (script.call("connect", with: .result(socket), address, 4096), EINVAL),
            (script.call("connect", with: .result(socket), address, 8), EAFNOSUPPORT),
            (script.call("connect", with: .result(socket), unix, 16), EAFNOSUPPORT),
            (script.call("connect", with: .result(socket), none, 16), EAFNOSUPPORT),
        ]
        let outcome = try await TrialSandbox().run(script, under: .shipped(named: Self.policy))
        for (step, errno) in wanted { #expect(outcome.answers.errno(step) == errno, "\(step)") }
        #expect(outcome.end.denials.isEmpty)
    }

    @Test func `a socket that is no socket of TCP is not connected by the broker`() async throws {
        var pair: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0, &pair) == 0)
        defer { close(pair[1]) }
        let gift = Descriptor(owning: pair[0])
        var script = TrialScript()
        let address = script.bytes(TestAddress.four([192, 0, 2, 77], port: 9))
        let step = script.call("connect", with: 5, address, 16)
        let outcome = try await TrialSandbox().run(
            script, under: .shipped(named: Self.policy), gifts: DescriptorList(gift.duplicate()))
        #expect(outcome.answers.errno(step) == EOPNOTSUPP)
    }

    /// The broker copies the address and connects to the copy. If the kernel read the address again, some of these
    /// connections would reach the listener.
    @Test func `NET-09: an address that changes while it is examined gains nothing`() async throws {
        let listener = try Listener()
        let memory = try Descriptor.memfd("annex-race", size: 4096)
        let addresses = [
            TestAddress.four([192, 0, 2, 77], port: 9), TestAddress.four([127, 0, 0, 1], port: listener.port),
        ]
        let exchanger = try Exchanger(try memory.duplicate(), addresses: addresses)
        defer { exchanger.stop() }
        await eventually { exchanger.count > 0 }
        var script = TrialScript()
        let place = script.call("mmap", with: 0, 4096, 1, 1, 5, 0)
        var steps: [Int] = []
        for _ in 0..<400 {
            let socket = script.call("socket", with: 2, 0o4001, 0)
            steps.append(script.call("connect", with: .result(socket), .result(place), 16, after: socket))
            script.call("close", with: .result(socket), after: socket)
        }
        let outcome = try await TrialSandbox().run(
            script, under: Self.patient(), gifts: DescriptorList(memory.duplicate()))
        #expect(!listener.accepts())
        let denied = steps.filter { outcome.answers.errno($0) == EACCES }.count
        #expect(steps.allSatisfy { outcome.answers.results[$0] != nil && !outcome.answers.succeeded($0) })
        #expect(denied == outcome.end.denials.map(\.count).reduce(0, +))
    }

    /// All sandboxes of a process share the threads that answer held calls.
    @Test(.enabled(if: access("/usr/bin/python3", X_OK) == 0, "there is no /usr/bin/python3 here"))
    func `a connection without an answer holds up no other sandbox`() async throws {
        let socket = try await SilentSocket()
        var script = TrialScript()
        let address = script.bytes(TestAddress.four([192, 0, 2, 77], port: 9))
        let step = script.call("connect", with: 5, address, 16)
        let waiting = Task { [script] in
            try await TrialSandbox().run(
                script, under: .shipped(named: Self.policy), gifts: DescriptorList(socket.descriptor.duplicate()))
        }
        await eventually { socket.isConnecting }
        var other = TrialScript()
        let barred = other.bytes(TestAddress.four([127, 0, 0, 1], port: 9))
        let own = other.call("socket", with: 2, 1, 0)
        let steps = (0..<100).map { _ in other.call("connect", with: .result(own), barred, 16, after: own) }
        let outcome = try await TrialSandbox().run(other, under: Self.patient())
        #expect(steps.allSatisfy { outcome.answers.errno($0) == EACCES })
        #expect(socket.isConnecting)
        shutdown(socket.descriptor.number, Int32(SHUT_RDWR))
        let last = try await waiting.value
        #expect(last.answers.results[step] != nil && !last.answers.succeeded(step))
    }

    /// The rights of `policy`, with room for as many denials as the race needs.
    private static func patient() throws -> Policy {
        let text = """
            policy: patient
            summary: A race against the broker.
            includes: [com.apple.widget-extension]
            limits:
              denials: 20000
            """
        return try PolicyLibrary.shipped.adding(["patient": (text, "patient.yaml")])
            .policy(named: "patient+com.apple.security.network.client")
    }
}

private enum TestAddress {
    static func four(_ host: [UInt8], port: UInt16) -> [UInt8] {
        [2, 0, UInt8(port >> 8), UInt8(port & 0xFF)] + host + [UInt8](repeating: 0, count: 8)
    }
}

/// A service of this machine that no sandbox may reach.
private final class Listener: Sendable {
    private let socket: Descriptor
    let port: UInt16

    init() throws {
        let number = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        socket = Descriptor(owning: number)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(number, place, size) == 0 && listen(number, 512) == 0 && getsockname(number, place, &size) == 0
            }
        }
        try #require(status)
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Whether a connection has arrived.
    func accepts() -> Bool {
        let number = accept(socket.number, nil, nil)
        guard number >= 0 else { return false }
        close(number)
        return true
    }
}

/// A TCP socket of a network namespace in which nothing answers a connection to 192.0.2.77, and no packet leaves this
/// machine.
private final class SilentSocket: Sendable {
    let descriptor: Descriptor

    /// Brings the loopback interface up (SIOCSIFFLAGS) and sends the network 192.0.2.0/24 to it (SIOCADDRT). Packets to
    /// that network arrive there as packets of a stranger, and the kernel drops them.
    private static let script = """
        import ctypes, fcntl, os, signal, socket, struct
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        fcntl.ioctl(made, 0x8914, struct.pack("16sH14x", b"lo", 1))
        address = lambda text: struct.pack("=HH4s8x", 2, 0, socket.inet_aton(text))
        device = ctypes.create_string_buffer(b"lo")
        fcntl.ioctl(made, 0x890B, struct.pack("@L16s16s16sHhLPhPLLH6x", 0, address("192.0.2.0"),
            address("0.0.0.0"), address("255.255.255.0"), 1, 0, 0, 0, 0, ctypes.addressof(device), 0, 0, 0))
        os.dup2(made.fileno(), 9)
        open("ready", "w")
        signal.pause()
        """

    init() async throws {
        let folder = try TemporaryFolder()
        let maker = try ChildProcess(
            URL(filePath: "/usr/bin/env"),
            arguments: ["unshare", geteuid() == 0 ? "-n" : "-Urn", "/usr/bin/python3", "-c", Self.script],
            in: folder.url)
        defer { maker.signal(SIGKILL) }
        let ready = folder.url.appending(path: "ready").path
        await eventually { FileManager.default.fileExists(atPath: ready) || !maker.isRunning }
        descriptor = try ProcessHandle(process: maker.number).getDescriptor(9)
    }

    /// Whether the socket waits for an answer. The first byte of the answer to `TCP_INFO` is the state, and 2 is
    /// SYN_SENT.
    var isConnecting: Bool {
        var state: UInt8 = 0
        var size = socklen_t(1)
        return getsockopt(descriptor.number, Int32(IPPROTO_TCP), TCP_INFO, &state, &size) == 0 && state == 2
    }
}

/// Another thread that writes two addresses alternately to the same place, without end.
private final class Exchanger: Sendable {
    private let memory: Descriptor
    private let addresses: [[UInt8]]
    private let isStopped = Atomic<Bool>(false)
    private let exchanged = Atomic<Int>(0)

    init(_ memory: consuming Descriptor, addresses: [[UInt8]]) throws {
        self.memory = memory
        self.addresses = addresses
        // This is a thread and not a task, because a task would occupy a thread of the pool.
        _ = try WorkerThread("annex-exchanger") { [self] in exchange() }
    }

    var count: Int { exchanged.load(ordering: .relaxed) }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    private func exchange() {
        while !isStopped.load(ordering: .relaxed) {
            for bytes in addresses {
                _ = bytes.withUnsafeBytes { pwrite(memory.number, $0.baseAddress, $0.count, 0) }
            }
            exchanged.add(1, ordering: .relaxed)
        }
    }
}
