internal import AnnexPolicy
internal import AnnexSandbox

extension TrialScript {
    /// Opens, reads and tells a file's beginning; the step that tells.
    mutating func readFile(_ path: String) -> Int {
        let room = room(4096)
        let file = call("openat", .here, text(path), .number(Flags.closeOnExec), 0)
        let count = call("read", .result(file), room, 2048, after: file)
        return tell(room, count: .result(count), after: count)
    }

    /// Opens, reads and tells a file to its end, where it has no more than 24 KiB; the steps that tell.
    mutating func readWhole(_ path: String) -> [Int] {
        let file = call("openat", .here, text(path), .number(Flags.closeOnExec), 0)
        return (0..<12).map { _ in
            let room = room(2048)
            let count = call("read", .result(file), room, 2048, after: file)
            return tell(room, count: .result(count), after: count)
        }
    }

    /// Opens and reads; the step that reads.
    mutating func read(_ path: String, count: Int64) -> Int {
        let file = call("openat", .here, text(path), .number(Flags.closeOnExec), 0)
        return call("read", .result(file), room(Int(count)), .number(count), after: file)
    }

    /// Asks whether there is a file.
    mutating func look(at path: String) -> Proof {
        .succeeds(call("newfstatat", .here, text(path), room(256), 0))
    }

    /// Executes a file in the program's place; `then` is what the program does if it is our own.
    mutating func execute(_ path: String, then: TrialScript?) {
        if let then { again = [then] }
        let name = text(path)
        call("execve", name, words([name, 0]), words([0]))
    }

    /// Executes bytes of its own from memory.
    mutating func executeMemory(_ program: [UInt8]) {
        again = [TrialScript()]
        let file = call("memfd_create", text("program"), 0)
        call("write", .result(file), bytes(program), .number(Int64(program.count)), after: file)
        let name = text("")
        let arguments = words([text("program"), 0])
        call("execveat", .result(file), name, arguments, words([0]), .number(Flags.emptyPath), after: file)
    }

    /// The step that tells the effective capabilities, 0 to 31.
    mutating func capabilities() -> Int {
        let header = words([0x2008_0522])
        let data = room(24)
        let step = call("capget", header, data)
        return tell(data, count: 4, after: step)
    }

    /// A socket connected to an address; the step that connects.
    mutating func connect(
        _ domain: Int64, kind: Int64 = 1, protocol number: Int64 = 0, to address: [UInt8]
    ) -> Int {
        let place = bytes(address)
        let socket = call("socket", .number(domain), .number(kind), .number(number))
        return call("connect", .result(socket), place, .number(Int64(address.count)), after: socket)
    }

    /// The same call until it fails; how often it did not.
    mutating func `repeat`(_ name: String, _ times: Int64, _ arguments: TrialArgument...) -> Int {
        flood(.repeat, SystemCall(named: name)?.number ?? -1, times, arguments)
    }

    /// The same call however often it fails.
    mutating func probe(number: Int32, _ times: Int64) -> Int { flood(.probe, number, times, []) }

    /// A call with each number of a range in its first register; how many did not fail.
    mutating func scan(_ name: String, _ range: Range<Int64>, _ second: TrialArgument) -> Int {
        conduct(
            .scan, .number(SystemCall(named: name)?.number ?? -1), .number(range.lowerBound),
            .number(range.upperBound), second)
    }

    private mutating func flood(
        _ conduct: Conduct, _ number: Int32, _ times: Int64, _ arguments: [TrialArgument]
    ) -> Int {
        append(.conduct(conduct), [.number(number), .number(times)] + arguments, after: nil)
    }
}
