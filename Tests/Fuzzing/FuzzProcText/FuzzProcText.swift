import AnnexLinux
import FuzzSupport

@testable import AnnexSandbox

/// Every reader of text that a sandboxed program can have a say in, each with all of the bytes: files below its
/// /proc/PID, names of its symbols, addresses of sockets, its output; and what the machine itself shows.
@main
enum FuzzProcText {
    static func main() {
        Fuzzer.run { start, count in
            FuzzProcText.read(Fuzzer.bytes(start, count))
            return 0
        }
    }

    private static func read(_ bytes: [UInt8]) {
        readProcess(bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        readMachine(text)
        _ = ProbeReport(bytes).escapes
        _ = Escaped(text, limit: 200).description
        _ = Escaped.lines(of: bytes)
    }

    private static func readProcess(_ bytes: [UInt8]) {
        for area in MemoryArea.read(bytes) { Fuzzer.expect(area.start < area.end, "an area without bytes") }
        _ = StoppedThread.read(bytes)
        _ = ProcessStatus.read(bytes)
        let name = SymbolName.readable(bytes)
        Fuzzer.expect(name.count <= max(bytes.count, SymbolName.limit), "a name that grew")
        _ = NamedPath.socketPath(bytes)
    }

    private static func readMachine(_ text: String) {
        _ = Surroundings.filterMode(in: text)
        _ = Surroundings.masks(in: text)
        _ = Surroundings.modules(in: text)
        _ = Container(Container.Signs(word: Container.word(in: text), kernel: text, groups: text))
        _ = IdentityMap(text: text).contains(IdentityRange.standard)
        for mount in ControlGroupMount.all(in: text) { _ = mount.place(in: text) }
        _ = ControlGroupHierarchy.candidates(mounts: ControlGroupMount.all(in: text), places: text)
        if let name = ControlGroupName(text) { Fuzzer.expect(ControlGroupName(name.text) == name, "another name") }
        for one in KernelSwitch.all { _ = one.finding(text) }
    }
}
