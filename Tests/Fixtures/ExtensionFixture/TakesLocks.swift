// Takes locks in its app group that no coordinator would take. The words of a request's text are a command and the
// group.
import AnnexExtension
import AnnexGroups
import Glibc

final class TakesLocks: AppExtension {
    /// The lowest descriptor of a file of locks.
    private static let locks: Int32 = 512
    /// `setAndWait` waits for the lock. The import of Glibc lacks this constant, and also lacks F_OFD_SETLK.
    private static let (set, setAndWait): (Int32, Int32) = (37, 38)

    func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem] {
        let words = (items.first?.contentText ?? "").split(separator: " ").map(String.init)
        return [ExtensionItem(contentText: act(words[0], words[1]))]
    }

    private func act(_ conduct: String, _ group: String) -> String {
        switch conduct {
        case "all": return lock(Self.locks, 0, 0)
        case "waits": return lock(Self.locks, 0, 0, by: Self.setAndWait)
        case "other": return lock(file(of: group), 0, 0)
        case "copies": return moved(to: Self.locks, from: file(of: group))
        case "many":
            // The locks cover every second byte, so that the kernel cannot merge them.
            for number in 0... {
                let answer = lock(Self.locks, off_t(number) * 2, 1)
                if answer != "locked" { return answer }
            }
            return "never"
        case "writes":
            let bytes = [UInt8](repeating: 1, count: 1 << 20)
            let written = write(Self.locks, bytes, bytes.count)
            return written < 0 ? "errno \(errno)" : "\(written >> 10) KiB"
        default: return "no such conduct"
        }
    }

    private func file(of group: String) -> Int32 {
        open("/groups/\(group)/file", O_RDWR | O_CREAT, 0o600)
    }

    /// The number is free, so only the limit can prevent the duplicate.
    private func moved(to number: Int32, from file: Int32) -> String {
        close(number)
        let moved = dup2(file, number)
        guard moved < 0 else { return lock(number, 0, 0) }
        let first = errno
        return fcntl(file, F_DUPFD_CLOEXEC, number) < 0 ? "errno \(first) \(errno)" : "copied"
    }

    private func lock(_ file: Int32, _ start: off_t, _ length: off_t, by command: Int32 = TakesLocks.set) -> String {
        var range = flock(
            l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: start, l_len: length, l_pid: 0)
        return fcntl(file, command, &range) == 0 ? "locked" : "errno \(errno)"
    }
}
