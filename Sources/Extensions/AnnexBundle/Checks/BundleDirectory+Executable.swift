internal import AnnexLinux
internal import AnnexModel

extension BundleDirectory {
    /// Opens the program that `CFBundleExecutable` names. It must lie in the bundle's own directory and be built for
    /// this machine.
    func executable(_ info: InfoDictionary, rule: BundleRule) throws(BundleError) -> BundleFile {
        let key = "CFBundleExecutable"
        let name = try info.requiredText(key, rule: rule)
        guard !name.contains("/"), name != ".", name != ".." else {
            throw info.fault(
                key, what: "is \(Escaped(name)), not a file's name", rule: .p7, remedy: "name a file of the bundle")
        }
        let shown = "\(self.shown)/\(Escaped(name))"
        let file = try open(name, rule: rule, kind: .regular)
        let status = try Self.check(file, shown: shown, rule: .p7, kind: .regular)
        guard status.mode & 0o111 != 0 else {
            throw BundleError(.p7, file: shown, what: "is not executable", remedy: "chmod +x it")
        }
        let header: [UInt8]
        do throws(SystemError) {
            header = try file.read(at: 0, count: ExecutableHeader.size)
        } catch {
            throw Self.fault(error, shown: shown, rule: .p7)
        }
        if let fault = ExecutableHeader.fault(in: header) {
            throw BundleError(.p7, file: shown, what: fault, remedy: "build it for this machine")
        }
        return BundleFile(descriptor: file, status: status, path: "\(path)/\(name)")
    }

    /// Rejects a program that needs an interpreter from outside its bundle, because its sandbox has no such file.
    func checkInterpreter(of program: borrowing BundleFile) throws(BundleError) {
        let shown = "\(self.shown)/\(Escaped(String(program.path.dropFirst(path.count + 1))))"
        let interpreter: String?
        do throws(SystemError) {
            interpreter = try ProgramInterpreter.path(in: program.descriptor)
        } catch {
            throw Self.fault(error, shown: shown, rule: .p7)
        }
        guard let interpreter, !interpreter.hasPrefix("/bundle/") else { return }
        throw BundleError(
            .p7, file: shown,
            what: "is linked dynamically: its interpreter \(Escaped(interpreter)) is not in an extension's sandbox",
            remedy: "link it with -static-executable")
    }
}

/// Checks the first bytes of an ELF file: is it a program for this machine?
struct ExecutableHeader: Equatable {
    /// The bytes of the header that the check needs.
    static let size = 20

    /// Why this machine cannot run a file that begins with these bytes; nil if it can.
    static func fault(in bytes: [UInt8]) -> String? {
        guard bytes.count >= size, bytes.starts(with: [0x7F, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")])
        else { return "is not an ELF program" }
        guard bytes[4] == 2, bytes[5] == 1 else { return "is not a 64-bit little-endian program" }
        let type = UInt16(bytes[16]) | UInt16(bytes[17]) << 8
        guard type == 2 || type == 3 else { return "is an ELF file, but not a program" }
        let machine = UInt16(bytes[18]) | UInt16(bytes[19]) << 8
        guard machine == ownMachine else {
            return "is for \(name(of: machine)), but this machine is \(name(of: ownMachine))"
        }
        return nil
    }

    #if arch(x86_64)
        private static let ownMachine: UInt16 = 62
    #elseif arch(arm64)
        private static let ownMachine: UInt16 = 183
    #endif

    private static func name(of machine: UInt16) -> String {
        switch machine {
        case 3: "x86 (32 bits)"
        case 40: "ARM (32 bits)"
        case 62: "x86-64"
        case 183: "aarch64"
        case 243: "RISC-V"
        default: "machine \(machine)"
        }
    }
}

/// The interpreter that an ELF program asks the kernel for. A dynamically linked program names the dynamic linker.
enum ProgramInterpreter {
    /// The most program headers that are read; linkers write about a dozen.
    private static let mostHeaders = 64
    /// The longest path of an interpreter, in bytes.
    private static let longestPath = 256
    /// `PT_INTERP`.
    private static let kind: UInt32 = 3
    private static let headerSize = 56

    /// The path of the program's interpreter.
    ///
    /// - Returns: nil if the program names no interpreter.
    static func path(in program: borrowing Descriptor) throws(SystemError) -> String? {
        let start = try program.read(at: 0, count: 64)
        guard let place: UInt64 = number(start, at: 32), let size: UInt16 = number(start, at: 54), size == headerSize,
            let count: UInt16 = number(start, at: 56), place <= Int64.max
        else { return nil }
        let table = try program.read(at: Int64(place), count: min(Int(count), mostHeaders) * headerSize)
        for header in stride(from: 0, to: table.count, by: headerSize) {
            guard number(table, at: header) == kind, let offset: UInt64 = number(table, at: header + 8),
                let length: UInt64 = number(table, at: header + 32), offset <= Int64.max
            else { continue }
            let bytes = try program.read(at: Int64(offset), count: Int(min(length, UInt64(longestPath))))
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return nil
    }

    /// A little-endian number; nil if the bytes end before it.
    private static func number<Number: FixedWidthInteger>(_ bytes: [UInt8], at place: Int) -> Number? {
        let size = Number.bitWidth / 8
        guard place + size <= bytes.count else { return nil }
        return bytes[place..<place + size].reversed().reduce(0) { $0 << 8 | Number($1) }
    }
}
