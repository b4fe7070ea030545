internal import AnnexLinux

/// The sections of a policy that are not about calls.
extension PolicyNode {
    func unlistedCalls() throws(PolicyError) -> UnlistedCalls {
        let values = try mapping("`unlisted`", keys: ["known", "unknown"])
        guard let known = values["known"], let unknown = values["unknown"] else {
            throw error("`unlisted` states the errno for calls with a name (`known:`) and without (`unknown:`)")
        }
        return UnlistedCalls(known: try known.errno(), unknown: try unknown.errno(), place: place)
    }

    /// An errno by its name.
    func errno() throws(PolicyError) -> Int32 {
        let name = try text("an errno")
        let numbers: ClosedRange<Int32> = 1...133
        guard let number = numbers.first(where: { Errno.name($0) == name }) else {
            throw unknown("errno `\(name)`", name, among: numbers.map(Errno.name))
        }
        return number
    }

    func bundleRights() throws(PolicyError) -> PolicyPaths.BundleRights {
        let known: [String: PolicyPaths.BundleRights] = ["read": .read, "execute": .execute]
        var rights: PolicyPaths.BundleRights = []
        for item in try list("`bundle`") {
            let name = try item.text("a right")
            guard let right = known[name] else { throw item.unknown("right `\(name)`", name, among: known.keys) }
            rights.formUnion(right)
        }
        return rights
    }

    func privateDirectory() throws(PolicyError) -> PolicyPaths.PrivateDirectory {
        if isScalar {
            let word = try text("`private`")
            guard word == "none" else { throw error("`private` is `none` or a mapping that names its kind") }
            return .none
        }
        let values = try mapping("`private`", keys: ["scratch"])
        guard let scratch = values["scratch"] else { throw error("`private` names its kind: `scratch`") }
        let bounds = try scratch.mapping("`scratch`", keys: ["size", "inodes"])
        guard let size = bounds["size"], let inodes = bounds["inodes"] else {
            throw scratch.error("`scratch` states its `size` and how many `inodes` it holds")
        }
        return .scratch(size: try size.bytes(), inodes: UInt64(try inodes.count()))
    }

    func network() throws(PolicyError) -> PolicyNetwork {
        let word = try text("`network`")
        guard let network = PolicyNetwork(rawValue: word) else {
            throw unknown("network `\(word)`", word, among: PolicyNetwork.allCases.map(\.rawValue))
        }
        return network
    }

    func environment() throws(PolicyError) -> PolicyEnvironment {
        let values = try mapping("`environment`", keys: ["pass", "set"])
        var environment = PolicyEnvironment()
        for item in try values["pass"]?.list("`pass`") ?? [] {
            environment.passed.append(try item.variableName())
        }
        for entry in try values["set"]?.entries("`set`") ?? [] {
            let value = try entry.value.text("a value")
            guard !value.utf8.contains(0) else { throw entry.value.error("a value holds no NUL") }
            environment.fixed[try entry.key.variableName()] = value
        }
        return environment
    }

    private func variableName() throws(PolicyError) -> String {
        let name = try text("a variable's name")
        guard name.utf8.allSatisfy({ $0 != 0x3D && $0 != 0 }) else { throw error("a variable's name holds no `=`") }
        guard !name.hasPrefix("LD_") else { throw error("`\(name)` makes the dynamic loader run other code") }
        return name
    }

    func limits() throws(PolicyError) -> [LimitName: LimitValue] {
        var limits: [LimitName: LimitValue] = [:]
        for entry in try entries("`limits`") {
            guard let name = LimitName(rawValue: entry.name) else {
                let known = LimitName.allCases.map(\.rawValue)
                throw entry.key.unknown("limit `\(entry.name)`", entry.name, among: known)
            }
            limits[name] =
                switch name.measure {
                case .bytes: .bytes(try entry.value.bytes())
                case .time: .time(try entry.value.time())
                case .count: .count(try entry.value.count())
                }
        }
        return limits
    }

    private func bytes() throws(PolicyError) -> UInt64 {
        let text = try text("a size")
        guard let bytes = Quantity.bytes(text), bytes > 0 else {
            throw error("`\(text)` is not a size: a whole number above 0, with K, M or G where wanted")
        }
        return bytes
    }

    private func time() throws(PolicyError) -> Duration {
        let text = try text("a time")
        guard let time = Quantity.time(text), time > .zero else {
            throw error("`\(text)` is not a time: a whole number above 0 with ms, s or min")
        }
        return time
    }

    private func count() throws(PolicyError) -> Int {
        let text = try text("a number")
        guard let number = WholeNumber.parse(text), number > 0, number <= 1_000_000_000 else {
            throw error("`\(text)` is not a whole number from 1 to 1000000000")
        }
        return Int(number)
    }
}
