import AnnexLinux
import AnnexPolicy
import AnnexSandbox

extension RunOptions {
    /// Adds a port of this machine to which the program can connect.
    mutating func allowPort(_ value: String) throws(WrongOption) {
        ports.allow(try Self.port(value))
        try checkPorts()
    }

    /// Adds a port of the program: `PORT`, or `MACHINE:PROGRAM`.
    mutating func publish(_ value: String) throws(WrongOption) {
        let parts = value.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2 else { throw Self.wrongPort(value) }
        let (machine, program) = (try Self.port(parts[0]), try Self.port(parts.last ?? ""))
        ports.publish(program, at: machine)
        try checkPorts()
    }

    /// Adds a machine to which the program can connect.
    mutating func allowHost(_ value: String) throws(WrongOption) {
        do throws(PolicyError) {
            hosts.append(try HostRule(value))
        } catch {
            throw WrongOption(error.problem)
        }
        if hosts.count > HostRules.most { throw WrongOption("at most \(HostRules.most) hosts") }
    }

    private static func port(_ text: String) throws(WrongOption) -> UInt16 {
        guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let port = UInt16(text), port > 0 else {
            throw wrongPort(text)
        }
        return port
    }

    private static func wrongPort(_ text: String) -> WrongOption {
        WrongOption("`\(Escaped(text, limit: 200))` is not a TCP port: write a number from 1 to 65535")
    }

    private func checkPorts() throws(WrongOption) {
        let published = ports.published
        if let port = ports.allowed.first(where: { port in published.contains { $0.program == port } }) {
            throw WrongOption(
                "\(port) cannot be both a port of this machine and a port of the program: publish another one")
        }
        let machines = Dictionary(grouping: published, by: \.machine)
        if let twice = machines.first(where: { $0.value.count > 1 })?.key {
            throw WrongOption("port \(twice) of this machine is given to two ports of the program")
        }
        if ports.allowed.count + published.count > LocalPorts.most {
            throw WrongOption("at most \(LocalPorts.most) ports")
        }
    }
}
