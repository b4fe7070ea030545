import AnnexDaemon
import ArgumentParser

/// One of the daemon's limits, as an argument of the command line.
struct LimitArgument {
    let name: DaemonLimits.Name
    let number: Int

    init(_ word: String) throws {
        let parts = word.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let name = DaemonLimits.Name(rawValue: parts[0]) else {
            let known = DaemonLimits.Name.allCases.map(\.rawValue).sorted().joined(separator: ", ")
            throw ValidationError("a limit is name=number; there are: \(known)")
        }
        // A larger number exceeds every machine, so it is a typing mistake.
        guard let number = Int(parts[1]), (1...1 << 40).contains(number) else {
            throw ValidationError("\(name.rawValue) must be a whole number from 1 on")
        }
        self.name = name
        self.number = number
    }
}
