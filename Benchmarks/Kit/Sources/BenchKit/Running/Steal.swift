internal import Foundation

/// Processor time since the machine started, from `/proc/stat`, in ticks. There are two values: all of it, and the part
/// that a hypervisor gave to other machines although a program here wanted it.
package struct Steal {
    private let total: UInt64
    private let stolen: UInt64

    static func now() -> Steal? {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return nil }
        return Steal(text)
    }

    package init?(_ text: String) {
        guard let line = text.split(separator: "\n").first, line.hasPrefix("cpu ") else { return nil }
        // The fields are user nice system idle iowait irq softirq steal. The fields after these are already part of
        // user.
        let numbers = line.split(separator: " ").dropFirst().prefix(8).compactMap { UInt64($0) }
        guard numbers.count == 8 else { return nil }
        total = numbers.reduce(0, +)
        stolen = numbers[7]
    }

    /// All processor time since `earlier`, and the part of it that other machines got. Both are zero if the kernel's
    /// counts went back.
    func time(since earlier: Steal) -> (total: UInt64, stolen: UInt64) {
        guard total > earlier.total, stolen >= earlier.stolen else { return (0, 0) }
        return (total - earlier.total, stolen - earlier.stolen)
    }

    /// Percent of all processor time since `earlier`.
    package func percent(since earlier: Steal) -> Double {
        let (total, stolen) = time(since: earlier)
        return total > 0 ? Double(stolen) * 100 / Double(total) : 0
    }
}
