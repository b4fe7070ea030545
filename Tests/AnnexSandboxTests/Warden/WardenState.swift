import Foundation

/// The descriptors and children of a warden.
struct WardenState {
    let descriptors: Int
    let children: Set<Int32>

    init(_ warden: Int32) {
        let files = FileManager.default
        descriptors = (try? files.contentsOfDirectory(atPath: "/proc/\(warden)/fd").count) ?? -1
        let all = ((try? files.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap(Int32.init)
        children = Set(all.filter { Self.parent(of: $0) == warden })
    }

    /// Whether the warden holds nothing that it did not hold in the earlier state. It may hold less, because the
    /// remains of an end may have been released after the earlier state was read.
    func isNoMore(than other: WardenState) -> Bool {
        descriptors <= other.descriptors && children.isSubset(of: other.children)
    }

    static func parent(of process: Int32) -> Int32? {
        stat(process).dropFirst().first.flatMap { Int32($0) }
    }

    /// Whether a process has ended. State "Z" is a process that has ended and whose parent has not waited for it.
    static func isGone(_ process: Int32) -> Bool {
        guard let state = stat(process).first else { return true }
        return state == "Z"
    }

    /// The fields of /proc/PID/stat from the state on.
    private static func stat(_ process: Int32) -> [Substring] {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return [] }
        return text[text.index(after: end)...].split(separator: " ")
    }
}
