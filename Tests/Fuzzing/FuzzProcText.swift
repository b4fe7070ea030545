@testable import AnnexDoctor
@testable import AnnexLaunch

/// Every reader of bytes that a sandboxed program controls. Each reader gets the whole input. The bytes are files below
/// the program's /proc/PID, names of its symbols, addresses of its sockets, and the output of the doctor's probe.
enum FuzzProcText {
    static func main() {
        Fuzzer.run { start, count in
            FuzzProcText.read(Fuzzer.bytes(start, count))
            return 0
        }
    }

    private static func read(_ bytes: [UInt8]) {
        for area in MemoryArea.read(bytes) { Fuzzer.expect(area.start < area.end, "an area without bytes") }
        _ = StoppedThread.read(bytes)
        _ = ProcessStatus.read(bytes)
        let name = SymbolName.readable(bytes)
        Fuzzer.expect(name.count <= max(bytes.count, SymbolName.limit), "a name that grew")
        _ = NamedPath.socketPath(bytes)
        _ = ProbeReport(bytes).escapes
    }
}
