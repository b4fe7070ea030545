internal import Foundation

/// The description of the machine. It states only the facts that matter for the figures.
public struct Machine: Codable, Sendable {
    public let processor: String
    public let cores: Int
    /// The version such as `6.18`. The suffix of a distribution is cut off, because it could identify the machine's
    /// owner.
    public let kernel: String
    public let isVirtual: Bool

    package init(processor: String, cores: Int, kernel: String, isVirtual: Bool) {
        self.processor = processor
        self.cores = cores
        self.kernel = kernel
        self.isVirtual = isVirtual
    }

    static func this() -> Machine {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let release = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)) ?? ""
        return Machine(
            processor: field("model name", of: text) ?? "unnamed processor",
            cores: ProcessInfo.processInfo.activeProcessorCount,
            kernel: release.split(separator: ".").prefix(2).joined(separator: "."),
            isVirtual: field("flags", of: text)?.split(separator: " ").contains("hypervisor") ?? false)
    }

    private static func field(_ name: String, of text: String) -> String? {
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(separator: ":", maxSplits: 1).last.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    public var sentence: String {
        "\(processor), \(cores) cores\(isVirtual ? ", a virtual machine" : ""), Linux \(kernel)"
    }
}
