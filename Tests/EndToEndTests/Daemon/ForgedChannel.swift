import AnnexChannel
import AnnexLinux
import Glibc

/// Descriptors that a client passes to a daemon in place of an extension's ends of a channel.
enum ForgedChannel {
    static func all() throws -> [(what: String, descriptors: ForgedDescriptors)] {
        func sockets() throws -> Descriptor { try DescriptorPair.sockets().list().first() }
        let file = { try Descriptor.open("/dev/null", O_RDWR) }
        let pipe = { try DescriptorPair.pipe().list().first() }
        return [
            ("none", ForgedDescriptors()),
            ("two", try ForgedDescriptors(sockets(), host())),
            ("four", try ForgedDescriptors(sockets(), host(), own(), own())),
            ("a file as socket", try ForgedDescriptors(file(), host(), own())),
            ("a pipe as socket", try ForgedDescriptors(pipe(), host(), own())),
            ("memory as socket", try ForgedDescriptors(own(), host(), own())),
            ("a listener as socket", try ForgedDescriptors(listener(), host(), own())),
            ("a file as region", try ForgedDescriptors(sockets(), file(), own())),
            ("a socket as region", try ForgedDescriptors(sockets(), host(), sockets())),
            ("an unsealed region", try ForgedDescriptors(sockets(), host([]), own())),
            ("a region that can shrink", try ForgedDescriptors(sockets(), host(), own([.grow]))),
            ("a writable host's region", try ForgedDescriptors(sockets(), host(readOnly: false), own())),
            ("a read-only extension's region", try ForgedDescriptors(sockets(), host(), host())),
            ("an empty region", try ForgedDescriptors(sockets(), host(), own(size: 0))),
            ("a huge region", try ForgedDescriptors(sockets(), host(size: 1 << 40), own())),
            ("a reference only", try ForgedDescriptors(sockets(), Descriptor.reference(to: "/etc/shadow"), own())),
        ]
    }

    /// A forged channel whose control socket already contains a descriptor.
    static func laden(with gift: consuming Descriptor) throws -> ForgedDescriptors {
        var ends = try DescriptorPair.sockets().list()
        guard let control = ends.takeFirst(), let other = ends.takeFirst() else {
            throw SystemError("pair", errno: EBADF)
        }
        try ControlSocket(owning: other).send([1], DescriptorList(gift))
        return ForgedDescriptors(control, try host(), try own())
    }

    /// A channel with a socket of another kind in place of the control socket.
    static func lingering(_ socket: consuming Descriptor) throws -> ForgedDescriptors {
        ForgedDescriptors(socket, try host(), try own())
    }

    private static func host(
        _ seals: Seals = .oneWriter, readOnly: Bool = true, size: Int64 = 8192
    ) throws -> Descriptor {
        let memory = try Descriptor.memfd("forged", size: size)
        try memory.addSeals(seals)
        return readOnly ? try memory.reopenedReadOnly() : memory
    }

    private static func own(_ seals: Seals = .fixedSize, size: Int64 = 8192) throws -> Descriptor {
        try host(seals, readOnly: false, size: size)
    }

    private static func listener() throws -> Descriptor {
        let path = "/tmp/annex-forged-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { unlink(path) }
        return try LocalSocket.listen(at: path, mode: 0o600)
    }
}

/// Open descriptors of a test. They are closed when the object is freed.
final class ForgedDescriptors: Sendable {
    let numbers: [Int32]

    init() {
        numbers = []
    }

    init(_ first: consuming Descriptor, _ second: consuming Descriptor) {
        numbers = [first.release(), second.release()]
    }

    init(_ first: consuming Descriptor, _ second: consuming Descriptor, _ third: consuming Descriptor) {
        numbers = [first.release(), second.release(), third.release()]
    }

    init(
        _ first: consuming Descriptor, _ second: consuming Descriptor, _ third: consuming Descriptor,
        _ fourth: consuming Descriptor
    ) {
        numbers = [first.release(), second.release(), third.release(), fourth.release()]
    }

    private init(_ numbers: [Int32]) {
        self.numbers = numbers
    }

    /// Copies of a descriptor that are of no use in a launch.
    static func copies(_ count: Int) throws -> ForgedDescriptors {
        let file = try Descriptor.open("/dev/null", O_RDONLY)
        return ForgedDescriptors((0..<count).map { _ in dup(file.number) })
    }

    init(one: consuming Descriptor) {
        numbers = [one.release()]
    }

    deinit {
        for number in numbers { close(number) }
    }
}

extension DescriptorList {
    fileprivate consuming func first() throws(SystemError) -> Descriptor {
        var list = self
        guard let first = list.takeFirst() else { throw SystemError("pair", errno: EBADF) }
        // The other ends stay open, as with an honest host.
        while let other = list.takeFirst() { _ = other.release() }
        return first
    }
}
