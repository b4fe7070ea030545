internal import AnnexLinux

extension SystemCall {
    /// The text of a call as a person would write it: `socket(AF_INET, SOCK_STREAM, 0)`.
    ///
    /// - Parameters:
    ///   - number: the call's number. A call without a name is shown as `call 900`.
    ///   - arguments: the six registers. The calling program cannot change them any more, but it can change the bytes
    ///     that `text` reads.
    ///   - architecture: the architecture of the program that made the call.
    ///   - text: returns the bytes of the text at which register `index` points; nil if they cannot be read. The
    ///     description escapes the bytes and shows at most 256 of them.
    public static func describe(
        number: Int32, arguments: [UInt64], architecture: Architecture = .current,
        text: (_ index: Int) -> [UInt8]? = { _ in nil }
    ) -> String {
        guard let call = SystemCall(number: number, architecture: architecture) else {
            return "call \(number)(\(registers(arguments)))"
        }
        return call.describe(arguments: arguments, text: text)
    }

    /// The same text for this call, whose name is known.
    public func describe(arguments: [UInt64], text: (_ index: Int) -> [UInt8]? = { _ in nil }) -> String {
        guard let known = self.arguments else { return "\(name)(\(Self.registers(arguments)))" }
        let shown = known.indices.map { index in
            let value = index < arguments.count ? arguments[index] : 0
            if known[index].kind.name == "path", value != 0, let bytes = text(index) {
                return Escaped(quoting: bytes, limit: 256).description
            }
            return known[index].kind.describe(value)
        }
        return "\(name)(\(shown.joined(separator: ", ")))"
    }

    private static func registers(_ arguments: [UInt64]) -> String {
        arguments.prefix(6).map(WholeNumber.hexadecimal).joined(separator: ", ")
    }
}

extension ArgumentKind {
    /// A register's value in the notation of this kind.
    package func describe(_ register: UInt64) -> String {
        let value = register & mask
        switch style {
        case .pointer: return value == 0 ? "NULL" : WholeNumber.hexadecimal(value)
        case .hexadecimal: return WholeNumber.hexadecimal(value)
        case .octal: return "0" + String(value, radix: 8)
        case .unsigned: return String(value)
        case .signed: return named(value) ?? signed(value)
        case .one: return named(value) ?? WholeNumber.hexadecimal(value)
        case .flags(let choice): return joined(value, choice: choice)
        }
    }

    private func named(_ value: UInt64) -> String? {
        constants.first { $0.value == value }?.name
    }

    private func signed(_ value: UInt64) -> String {
        bits == 32 ? String(Int32(truncatingIfNeeded: value)) : String(Int64(bitPattern: value))
    }

    private func joined(_ value: UInt64, choice: UInt64) -> String {
        var names: [String] = []
        var rest = value
        let chosen = value & choice
        if choice != 0 || value == 0, let name = constants.first(where: { $0.value == chosen })?.name {
            names.append(name)
            rest &= ~choice
        }
        // Constants of several bits come first, so that O_TMPFILE is not shown as the O_DIRECTORY that it contains.
        let bits = constants.filter { $0.value & ~choice != 0 }
        let wide = bits.filter { $0.value.nonzeroBitCount > 1 }
        for constant in wide + bits.filter({ $0.value.nonzeroBitCount == 1 })
        where rest & constant.value == constant.value {
            names.append(constant.name)
            rest &= ~constant.value
        }
        if rest != 0 || names.isEmpty { names.append(rest == 0 ? "0" : WholeNumber.hexadecimal(rest)) }
        return names.joined(separator: "|")
    }
}
