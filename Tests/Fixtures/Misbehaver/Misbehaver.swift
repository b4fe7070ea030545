import AnnexChannel
import AnnexLinux
import AnnexModel
import CFixtures
import Glibc

/// An extension that misbehaves in the way that its request names. It uses the channel directly, because `AppExtension`
/// follows the rules.
@main
struct Misbehaver: ~Copyable {
    private let endpoint: ExtensionEndpoint
    private let region: ChannelRegion?

    static func main() throws {
        // The region is mapped here, before the endpoint closes the descriptor. The endpoint has a mapping of its
        // own. The mapping that is made here allows writes that break the rules.
        let region = ChannelRegion()
        let endpoint = try ExtensionEndpoint.adopt()
        try endpoint.sayHello()
        try Misbehaver(endpoint: endpoint, region: region).serve()
    }

    private func serve() throws {
        while true {
            guard let incoming = try endpoint.next() else { continue }
            switch consume incoming {
            case .request(let request): try obey(request)
            case .event(let event): if event.method == LifeEvent.goodbye { return }
            }
        }
    }

    private func obey(_ request: consuming IncomingRequest) throws {
        var descriptors = DescriptorList()
        swap(&descriptors, &request.descriptors)
        let message = try RequestMessage(decoding: request.payload)
        let items = try message.inputItems(with: ContentsList(taking: descriptors))
        guard let word = items.first?.userInfo["conduct"]?.string, let conduct = Conduct(rawValue: word) else {
            return try Self.answer(request, items: [ExtensionItem(contentText: "no such conduct")])
        }
        try misbehave(conduct, request: request)
    }

    private func misbehave(_ conduct: Conduct, request: consuming IncomingRequest) throws {
        switch conduct {
        case .readsHostFiles: try Self.answer(request, items: HostFiles.read())
        case .opensSocket:
            try Self.answer(request, with: Attempt("socket(AF_INET, SOCK_STREAM)", result: misbehave_socket(2, 1)))
        case .forks: try Self.answer(request, with: Attempt("fork()", result: misbehave_fork()))
        case .executes:
            try Self.answer(request, with: Attempt("execve(/bin/sh)", result: unsafe misbehave_execute("/bin/sh")))
        case .takesTooMuchMemory: Greed.hoardMemory()
        case .hoardsNamelessFiles: Greed.hoardNamelessFiles()
        case .neverAnswers: while true { _ = try endpoint.next() }
        case .sendsMalformedMessage: try sendMalformedMessage()
        case .floods:
            while true { try endpoint.sendAndWait(ChannelEvent(method: 7, payload: [UInt8](repeating: 7, count: 64))) }
        case .floodsOutput: Greed.floodOutput()
        case .crashes: misbehave_write_through_null()
        case .aborts: abort()
        case .traps: fatalError("this extension has run into a trap of its own")
        case .handsOverDescriptor: try handOverDescriptor()
        }
    }

    private func sendMalformedMessage() throws {
        guard let region else { fatalError("the channel's region cannot be mapped a second time") }
        region.writeNonsense()
        while true { _ = try endpoint.next() }
    }

    /// Sends a descriptor of memory that is not sealed. The message names a call that the channel does not have.
    private func handOverDescriptor() throws {
        let mark: [UInt8] = Array("ANFD".utf8) + [1, 0, 0, 0] + [UInt8](repeating: 0x7F, count: 8)
        var sent: Int32
        repeat {
            sent = unsafe mark.withUnsafeBytes {
                unsafe misbehave_hand_over(ChannelDescriptor.control, $0.baseAddress, $0.count)
            }
            // Other programs of this user can have too many descriptors in flight for a moment.
            if sent == -ETOOMANYREFS { usleep(1000) }
        } while sent == -ETOOMANYREFS
        if sent < 0 { print("sendmsg: errno \(-sent)") }
        while true { _ = try endpoint.next() }
    }

    private static func answer(_ request: consuming IncomingRequest, with attempt: Attempt) throws {
        try answer(request, items: [ExtensionItem(contentText: attempt.text)])
    }

    private static func answer(_ request: consuming IncomingRequest, items: [ExtensionItem]) throws {
        var contents = ContentsList()
        try request.reply(ReplyMessage(items, collecting: &contents).encoded())
    }
}

/// The attempts of the misbehaving extension. A request names one of these words.
enum Conduct: String, CaseIterable {
    case readsHostFiles
    case opensSocket
    case forks
    case executes
    case takesTooMuchMemory
    case hoardsNamelessFiles
    case neverAnswers
    case sendsMalformedMessage
    case floods
    case floodsOutput
    case crashes
    case aborts
    case traps
    case handsOverDescriptor
}

/// A system call that the extension tried, and the kernel's answer, unchanged.
struct Attempt {
    let text: String
    let succeeded: Bool

    /// - Parameter result: the call's result or -errno.
    init(_ call: String, result: Int32) {
        succeeded = result >= 0
        text = succeeded ? "\(call): succeeded" : "\(call): \(Errno.name(-result))"
    }
}

/// Tries to read files that an extension must not read.
enum HostFiles {
    private static let paths = [
        "/etc/passwd", "/etc/shadow", "/root/.ssh", "/home", "/proc/1/environ", "/proc/1/root", "/sys/kernel",
        "/../../etc/hostname",
    ]

    /// One item. It holds every path with the kernel's answer, and the number of files that could be opened.
    static func read() -> [ExtensionItem] {
        let attempts = paths.map { path in
            let opened = unsafe misbehave_open(path)
            if opened >= 0 { close(opened) }
            return Attempt(path, result: opened)
        }
        let read = attempts.filter(\.succeeded).count
        return [
            ExtensionItem(
                attributedContentText: AttributedText(attempts.map(\.text).joined(separator: ", ")),
                userInfo: ["filesRead": .integer(Int64(read))])
        ]
    }
}

/// Takes resources without end.
enum Greed {
    /// Takes 8 MiB at a time and writes every page, until the process is killed or the kernel refuses.
    static func hoardMemory() -> Never {
        while misbehave_take_memory(8 << 20) == 0 {}
        fatalError("the kernel gives no more memory")
    }

    /// Takes memory that does not count as a process's own data. This memory is in files without a name, each filled
    /// to the largest allowed size. Then the function waits until the broker's check of the memory in use finds the
    /// files and ends the extension.
    static func hoardNamelessFiles() -> Never {
        while misbehave_fill_nameless_file(200 << 20) == 0 {}
        while true { pause() }
    }

    /// Writes lines to standard output and standard error, as fast as the reader reads them.
    static func floodOutput() -> Never {
        let line = [UInt8](repeating: UInt8(ascii: "!"), count: 4_095) + [UInt8(ascii: "\n")]
        while true {
            for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
                _ = unsafe line.withUnsafeBytes { unsafe misbehave_write(descriptor, $0.baseAddress, $0.count) }
            }
        }
    }
}

/// The extension's own region of the channel. It is mapped a second time, so that the extension can write bytes that
/// the rules forbid.
@safe struct ChannelRegion {
    private let bytes: UnsafeMutableBufferPointer<UInt8>

    /// The offset of the ring, and the alignment of its frames.
    private static let ring = 4_096
    private static let line = 64

    init?() {
        var size = 0
        guard let start = unsafe misbehave_map_region(ChannelDescriptor.extensionRegion, &size), size > Self.ring else {
            return nil
        }
        unsafe bytes = UnsafeMutableBufferPointer(start: start, count: size)
    }

    /// Fills the ring with headers of invalid kind and length. Then it wakes the host, so that the host reads them. A
    /// sleeping host waits on a futex in one of the headers, or for bytes on the control socket. So this function
    /// wakes all these futexes and writes to the socket.
    func writeNonsense() {
        for index in unsafe Self.ring..<bytes.count { unsafe bytes[index] = 0xF1 }
        guard let start = unsafe bytes.baseAddress else { return }
        for place in unsafe stride(from: Self.ring, to: bytes.count, by: Self.line) {
            _ = unsafe misbehave_wake(start + place)
        }
        let doorbell: [UInt8] = [1]
        _ = unsafe doorbell.withUnsafeBytes {
            unsafe misbehave_write(ChannelDescriptor.control, $0.baseAddress, $0.count)
        }
    }
}
