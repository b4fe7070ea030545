// Behaves as its request says. The first word of the request's text says what the extension does, and the second word
// is a time in milliseconds.
import AnnexExtension
import Glibc
import Synchronization

final class WorksOn: AppExtension {
    private var isWarned = false
    /// The count of requests in this process. It is static, because each request has its own object.
    private static let served = Atomic(0)

    func beginRequest(with context: ExtensionContext) {
        let words = (context.inputItems.first?.contentText ?? "").split(separator: " ")
        let time = words.count > 1 ? Int(words[1]) ?? 0 : 0
        let served = Self.served.add(1, ordering: .relaxed).newValue
        switch words.first {
        case "counts": context.completeRequest(returning: [ExtensionItem(contentText: "\(served)")])
        case "capabilities":
            let text = context.capabilities.entitlements.joined(separator: " ")
            context.completeRequest(returning: [ExtensionItem(contentText: text)])
        case "reads": open(words.last.map(String.init) ?? "", for: O_RDONLY, in: context)
        case "writes": open(words.last.map(String.init) ?? "", for: O_WRONLY, in: context)
        case "connects": connect(context, to: time)
        case "looks": look(context, for: time)
        case "spins": while true {}
        case "sleeps": sleep(1_000_000)
        case "grows": grow(context)
        case "chatters": while true { say("chatter, chatter") }
        case "exits": exit(3)
        case "prints":
            print("about to crash")
            fatalError("my own words")
        case "betrays": betray(words.last.map(String.init) ?? "", in: context)
        case "tidies": tidy(context)
        case "overstays": overstay(context)
        case "clings": cling(context)
        case "mutters": mutter(context)
        default: context.completeRequest(returning: [ExtensionItem(contentText: "no such conduct")])
        }
    }

    /// Sends an empty message on the control socket, and answers nevertheless.
    private func mutter(_ context: ExtensionContext) {
        var message = msghdr()
        let sent = sendmsg(3, &message, Int32(MSG_NOSIGNAL))
        context.completeRequest(returning: [ExtensionItem(contentText: sent == 0 ? "muttered" : "errno \(errno)")])
    }

    /// Opens a file in the app's `Frameworks`, and answers with its contents or the error.
    private func open(_ name: String, for access: Int32, in context: ExtensionContext) {
        let file = Glibc.open("\(context.frameworksDirectory ?? "none")/\(name)", access)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = file < 0 ? -1 : access == O_RDONLY ? read(file, &bytes, bytes.count) : 0
        let text = count < 0 ? "errno \(errno)" : String(decoding: bytes.prefix(count), as: UTF8.self)
        if file >= 0 { close(file) }
        let place = ExtensionItem(contentText: context.frameworksDirectory ?? "none")
        context.completeRequest(returning: [ExtensionItem(contentText: text), place])
    }

    /// Connects to a port of this machine, and answers with the error.
    private func connect(_ context: ExtensionContext, to port: Int) {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let text = status == 0 ? "connected" : errno == EACCES ? "denied" : "failed with \(errno)"
        context.completeRequest(returning: [ExtensionItem(contentText: text)])
    }

    func didReceiveMemoryWarning() { isWarned = true }

    /// Works all the time, and polls the channel between any two pieces of the work.
    private func look(_ context: ExtensionContext, for milliseconds: Int) {
        let end = Self.now + milliseconds
        while Self.now < end, !context.isCancelled {}
        context.completeRequest(returning: [ExtensionItem(contentText: "looked")])
    }

    /// Takes one mebibyte at a time until it is asked to use less. It does this slowly, so that a busy machine has time
    /// to warn it.
    private func grow(_ context: ExtensionContext) {
        var held: [[UInt8]] = []
        while !isWarned, !context.isCancelled {
            // Together with the other memory of the process, this is more than four fifths of 64 MiB. The sum is less
            // than 64 MiB, because a check may come late.
            if held.count < 52 { held.append([UInt8](repeating: 7, count: 1 << 20)) }
            usleep(50_000)
        }
        let count = held.count
        held = []
        context.completeRequest(returning: [ExtensionItem(contentText: "warned at \(count)")])
    }

    /// Prints a word, names it in an activity and in a denied call, and crashes with it.
    private func betray(_ word: String, in context: ExtensionContext) {
        say("typed: \(word)")
        _ = chown("/\(word)", 0, 0)
        context.performExpiringActivity(withReason: word) { _ in }
        fatalError(word)
    }

    /// Continues to work after its answer, until it is warned that its end is near.
    private func tidy(_ context: ExtensionContext) {
        context.completeRequest(returning: [ExtensionItem(contentText: "tidying")])
        var calls: [Bool] = []
        context.performExpiringActivity(withReason: "tidying") { expired in
            calls.append(expired)
            if expired { return }
            while !context.isExpiring { usleep(1000) }
        }
        say("called with \(calls)")
    }

    /// Continues to work after its answer, despite every warning.
    private func overstay(_ context: ExtensionContext) {
        context.completeRequest(returning: [ExtensionItem(contentText: "staying")])
        context.performExpiringActivity(withReason: "a long\u{1B} story") { expired in
            self.say("called with \(expired)")
            while !expired { _ = context.isExpiring }
        }
    }

    /// Continues to run after its answer, but neither reads nor sends anything.
    private func cling(_ context: ExtensionContext) {
        context.completeRequest(returning: [ExtensionItem(contentText: "staying")])
        while true {}
    }

    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }

    private func say(_ line: String) {
        var text = line + "\n"
        text.withUTF8 { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
