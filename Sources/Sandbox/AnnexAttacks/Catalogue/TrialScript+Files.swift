internal import AnnexLaunch
internal import AnnexPolicy

extension TrialScript {
    /// Opens a file, reads its beginning and reports it.
    /// - Returns: the step that reports the bytes.
    mutating func readFile(_ path: String) -> Int {
        let room = room(4096)
        let file = call("openat", with: .here, text(path), .number(Flags.closeOnExec), 0)
        let count = call("read", with: .result(file), room, 2048, after: file)
        return report(room, count: .result(count), after: count)
    }

    /// Opens a file, reads its first 24 KiB and reports them.
    /// - Returns: the steps that report the bytes.
    mutating func readWhole(_ path: String) -> [Int] {
        let file = call("openat", with: .here, text(path), .number(Flags.closeOnExec), 0)
        return (0..<12).map { _ in
            let room = room(2048)
            let count = call("read", with: .result(file), room, 2048, after: file)
            return report(room, count: .result(count), after: count)
        }
    }

    /// Opens a file and reads from it.
    /// - Returns: the step that reads.
    mutating func read(_ path: String, count: Int64) -> Int {
        let file = call("openat", with: .here, text(path), .number(Flags.closeOnExec), 0)
        return call("read", with: .result(file), room(Int(count)), .number(count), after: file)
    }

    /// Checks whether a file exists.
    mutating func checkFile(at path: String) -> Proof {
        .succeeds(call("newfstatat", with: .here, text(path), room(256), 0))
    }

    /// Executes a file in place of the program. If the file is the trial's own program, it continues with the script
    /// `then`.
    mutating func execute(_ path: String, then: TrialScript?) {
        if let then { again = [then] }
        let name = text(path)
        call("execve", with: name, words([name, 0]), words([0]))
    }

    /// Executes a program in a memory file.
    mutating func executeMemory(_ program: [UInt8]) {
        again = [TrialScript()]
        let file = call("memfd_create", with: text("program"), 0)
        call("write", with: .result(file), bytes(program), .number(Int64(program.count)), after: file)
        let name = text("")
        let arguments = words([text("program"), 0])
        call("execveat", with: .result(file), name, arguments, words([0]), .number(Flags.emptyPath), after: file)
    }

    /// Reports the effective capabilities 0 to 31.
    /// - Returns: the step that reports them.
    mutating func capabilities() -> Int {
        let header = words([0x2008_0522])
        let data = room(24)
        let step = call("capget", with: header, data)
        return report(data, count: 4, after: step)
    }

    /// Connects a socket to an address.
    /// - Returns: the step that connects.
    mutating func connect(
        _ domain: Int64, kind: Int64 = 1, protocol number: Int64 = 0, to address: [UInt8]
    ) -> Int {
        let place = bytes(address)
        let socket = call("socket", with: .number(domain), .number(kind), .number(number))
        return call("connect", with: .result(socket), place, .number(Int64(address.count)), after: socket)
    }

    /// Repeats a call until it fails. The step's result is the number of successes.
    mutating func `repeat`(_ name: String, times: Int64, with arguments: TrialArgument...) -> Int {
        flood(.repeat, number: SystemCall(named: name)?.number ?? -1, times: times, with: arguments)
    }

    /// Repeats a call. The repetition continues even if the call fails.
    mutating func probe(number: Int32, _ times: Int64) -> Int { flood(.probe, number: number, times: times, with: []) }

    /// Makes a call for each number of a range, with the number in the first register. The step's result is the number
    /// of successes.
    mutating func scan(_ name: String, over range: Range<Int64>, second: TrialArgument) -> Int {
        conduct(
            .scan, with: .number(SystemCall(named: name)?.number ?? -1), .number(range.lowerBound),
            .number(range.upperBound), second)
    }

    private mutating func flood(
        _ conduct: Conduct, number: Int32, times: Int64, with arguments: [TrialArgument]
    ) -> Int {
        append(.conduct(conduct), with: [.number(number), .number(times)] + arguments, after: nil)
    }
}
