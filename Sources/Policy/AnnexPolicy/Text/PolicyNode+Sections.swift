internal import AnnexLinux

/// Readers for the sections of a policy that are not about calls.
extension PolicyNode {
    func unlistedCalls() throws(PolicyError) -> UnlistedCalls {
        let values = try mapping("`unlisted`", keys: ["known", "unknown"])
        guard let known = values["known"], let unknown = values["unknown"] else {
            throw error("`unlisted` must state the errno for calls with a name (`known:`) and without (`unknown:`)")
        }
        return UnlistedCalls(known: try known.errno(), unknown: try unknown.errno(), place: place)
    }

    /// The answer to a call that is not performed: an errno, or `0`. With `0`, the program believes that the call
    /// succeeded.
    package func answer() throws(PolicyError) -> Int32 {
        try text("an answer") == "0" ? 0 : errno()
    }

    /// An errno by its name.
    package func errno() throws(PolicyError) -> Int32 {
        let name = try text("an errno")
        let numbers: ClosedRange<Int32> = 1...133
        guard let number = numbers.first(where: { Errno.name($0) == name }) else {
            throw unknown("errno `\(name)`", name: name, among: numbers.map(Errno.name))
        }
        return number
    }

    /// The value of `network`: a word, or the machines of `network: { hosts: … }`.
    struct Network: Sendable, Hashable {
        let kind: PolicyNetwork
        var hosts = HostRules()
    }

    func network() throws(PolicyError) -> Network {
        guard isMapping else { return Network(kind: try word("network", among: PolicyNetwork.self)) }
        let values = try mapping("`network`", keys: ["hosts", "check"])
        guard let hosts = values["hosts"] else { throw error("`network` must be a word, or state `hosts:`") }
        var rules: [HostRule] = []
        for item in try hosts.list("`hosts`") {
            let text = try item.text("a host")
            do throws(PolicyError) {
                rules.append(try HostRule(text))
            } catch {
                throw item.error(error.problem)
            }
        }
        let check = try values["check"]?.word("check", among: HostRules.Check.self)
        return Network(kind: .hosts, hosts: HostRules(rules, check: check ?? .usual))
    }

    func devices() throws(PolicyError) -> [PolicyDevice] {
        var devices: [PolicyDevice] = []
        for item in try list("`devices`") {
            let device = try item.word("device", among: PolicyDevice.self)
            guard !devices.contains(device) else { throw item.error("`\(device.rawValue)` is stated twice") }
            devices.append(device)
        }
        return devices
    }

    func isOn() throws(PolicyError) -> Bool {
        try word("value", among: Switch.self) == .on
    }

    private enum Switch: String, CaseIterable { case on, off }

    /// The value of the enumeration that the scalar names.
    package func word<Value>(_ what: String, among type: Value.Type) throws(PolicyError) -> Value
    where Value: CaseIterable & RawRepresentable<String> {
        let word = try text("`\(what)`")
        guard let value = Value(rawValue: word) else {
            throw unknown("\(what) `\(word)`", name: word, among: Value.allCases.map(\.rawValue))
        }
        return value
    }

    func environment() throws(PolicyError) -> PolicyEnvironment {
        let values = try mapping("`environment`", keys: ["pass", "set"])
        var environment = PolicyEnvironment()
        for item in try values["pass"]?.list("`pass`") ?? [] {
            environment.passed.append(try item.variableName())
        }
        for entry in try values["set"]?.entries("`set`") ?? [] {
            let value = try entry.value.text("a value")
            guard !value.utf8.contains(0) else { throw entry.value.error("a value must not contain NUL") }
            environment.fixed[try entry.key.variableName()] = value
        }
        return environment
    }

    private func variableName() throws(PolicyError) -> String {
        let name = try text("a variable's name")
        guard name.utf8.allSatisfy({ $0 != 0x3D && $0 != 0 }) else {
            throw error("a variable's name must not contain `=` or NUL")
        }
        guard !name.hasPrefix("LD_") else {
            throw error("`\(name)` makes the dynamic loader run other code: remove the variable")
        }
        return name
    }

    func limits() throws(PolicyError) -> [LimitName: PolicyDocument.Stated<LimitValue>] {
        var limits: [LimitName: PolicyDocument.Stated<LimitValue>] = [:]
        for entry in try entries("`limits`") {
            guard let name = LimitName(rawValue: entry.name) else {
                let known = LimitName.allCases.map(\.rawValue)
                throw entry.key.unknown("limit `\(entry.name)`", name: entry.name, among: known)
            }
            limits[name] = try PolicyDocument.Stated(entry.value) { node throws(PolicyError) in
                try node.limit(measured: name.measure, most: name.mostCounted)
            }
        }
        return limits
    }

    /// The limits of a mapping, by their names. No limit is required.
    package func limitValues() throws(PolicyError) -> [LimitName: LimitValue] { try limits().mapValues(\.value) }

    private func limit(measured measure: LimitName.Measure, most: Int) throws(PolicyError) -> LimitValue {
        switch measure {
        case .bytes: .bytes(try bytes())
        case .time: .time(try time())
        case .timeFromZero: .time(try time(from: .zero, "a whole number with ms, s or min"))
        case .timeOrNone: .time(try timeOrNone())
        case .count: .count(try count(atMost: most))
        }
    }

    func bytes() throws(PolicyError) -> UInt64 {
        let text = try text("a size")
        guard let bytes = Quantity.bytes(text), bytes > 0 else {
            throw error("`\(text)` is not a size: write \(Quantity.formOfBytes)")
        }
        return bytes
    }

    private func timeOrNone() throws(PolicyError) -> Duration {
        if try text("a time") == "none" { return PolicyLimits.noTimeLimit }
        return try time("a whole number above 0 with ms, s or min, or `none`")
    }

    private func time(
        from least: Duration = .milliseconds(1), _ form: String = "a whole number above 0 with ms, s or min"
    ) throws(PolicyError) -> Duration {
        let text = try text("a time")
        guard let time = Quantity.time(text), time >= least else {
            throw error("`\(text)` is not a time: write \(form)")
        }
        return time
    }

    func count(atMost most: Int = LimitName.mostOfAny) throws(PolicyError) -> Int {
        let text = try text("a number")
        guard let number = WholeNumber.parse(text), number > 0, number <= most else {
            throw error("`\(text)` is not a whole number from 1 to \(most)")
        }
        return Int(number)
    }
}
