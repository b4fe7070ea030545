import Glibc

/// The facts of /proc about one of Annex's processes.
struct ProcessFacts {
    let number: Int32

    /// The warden of this process. The warden is the process that holds a pidfd of this process as descriptor 4.
    static func warden() -> ProcessFacts? {
        all.first { process in
            process.text("comm") == "annex-warden\n"
                && process.text("fdinfo/4").contains("Pid:\t\(getpid())\n")
        }
    }

    static var this: ProcessFacts { ProcessFacts(number: getpid()) }

    var children: [ProcessFacts] {
        Self.all.filter { $0.text("status").contains("\nPPid:\t\(number)\n") }
    }

    private static var all: [ProcessFacts] {
        names(in: "/proc").compactMap { Int32($0).map(ProcessFacts.init) }
    }

    /// Proportional set size in KiB.
    var memory: Int { number(of: "Pss:", in: text("smaps_rollup")) ?? 0 }

    /// Proportional set size in KiB, without the memory of channels.
    var ownMemory: Int {
        var isChannel = false
        var sum = 0
        for line in text("smaps").split(separator: "\n") {
            if line.first.map({ $0.isHexDigit && !$0.isUppercase }) == true, line.contains("-") {
                isChannel = line.contains("/memfd:annex")
            } else if !isChannel, line.hasPrefix("Pss:") {
                sum += number(of: "Pss:", in: String(line)) ?? 0
            }
        }
        return sum
    }

    /// How often any thread of the process got a processor after a wait.
    /// - Parameter thread: a thread that is not counted.
    func switches(without thread: Int32 = 0) -> Int {
        Self.names(in: "/proc/\(number)/task").compactMap { Int32($0) }.filter { $0 != thread }.reduce(0) { sum, task in
            let status = text("task/\(task)/status")
            return sum + (number(of: "voluntary_ctxt_switches:", in: status) ?? 0)
        }
    }

    private func number(of name: String, in text: String) -> Int? {
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
        }
        return nil
    }

    private func text(_ name: String) -> String {
        guard let file = fopen("/proc/\(number)/\(name)", "re") else { return "" }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&part, 1, part.count, file)
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += part[..<count]
        }
    }

    private static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names
    }
}
