internal import AnnexMessages
package import AnnexPolicy
internal import CAnnexPolicies

/// The shipped policies in compiled form, as `make policies` writes them: one file, which the program contains.
///
/// The file begins with the size of its index. The index says where the file holds each policy's values. The values say
/// where it holds the policy's filters. Policies with equal filters share one copy. Of all these parts, only the parts
/// of a policy that a caller asks for are read.
@safe package struct CompiledPolicies: @unchecked Sendable {
    // SAFETY: these bytes never change, and they outlive this value.
    private let bytes: UnsafeRawBufferPointer
    private let index: CompiledIndex

    /// The policies that the program contains; nil if their index cannot be read.
    // SAFETY: the bytes are a constant of the program, and `size` is their number.
    static let shipped = unsafe CompiledPolicies(
        UnsafeRawBufferPointer(start: annex_compiled_policies().bytes, count: annex_compiled_policies().size))

    /// - Parameter file: bytes that never change and outlive this value.
    @unsafe init?(_ file: UnsafeRawBufferPointer) {
        let width = MemoryLayout<UInt32>.size
        guard file.count >= width else { return nil }
        // SAFETY: the file has these bytes, and every bit pattern is a number.
        let size = Int(UInt32(littleEndian: unsafe file.loadUnaligned(as: UInt32.self)))
        guard size <= file.count - width,
            let index = try? unsafe CompiledIndex(
                decoding: UnsafeRawBufferPointer(rebasing: file[width..<width + size]).bytes)
        else { return nil }
        self.index = index
        unsafe bytes = UnsafeRawBufferPointer(rebasing: file[(width + size)...])
    }

    /// Every policy's name.
    var names: [String] { index.names }

    /// What compiled the filters. Another compiler may say the same in other instructions.
    var compiler: String { index.compiler }

    /// The policy of that name; nil if the file has no such policy, or if the policy cannot be read.
    func named(_ name: String) -> CompiledPolicy? {
        guard let part = zip(index.names, index.parts).first(where: { $0.0 == name })?.1, isInside(part) else {
            return nil
        }
        return try? unsafe CompiledPolicy(decoding: UnsafeRawBufferPointer(rebasing: bytes[part.range]).bytes)
    }

    func policy(named name: String, for architecture: Architecture) -> Policy? {
        guard let compiled = named(name) else { return nil }
        // A filter that cannot be read is compiled again at the first launch.
        return compiled.policy(for: architecture, filter: filter(of: compiled, for: architecture))
    }

    /// The stored filter of a policy; nil if it cannot be read.
    func filter(of policy: CompiledPolicy, for architecture: Architecture) -> SeccompFilter? {
        let filter = policy.filters[architecture]
        guard let filter, isInside(filter) else { return nil }
        return try? SeccompFilter(
            template: unsafe Array(bytes[filter.range]), architecture: architecture,
            allowsEveryExec: policy.allowsEveryExec)
    }

    private func isInside(_ part: CompiledPart) -> Bool {
        unsafe part.range.upperBound <= bytes.count
    }
}

extension CompiledPolicies {
    /// Compiles every policy of a library that has its filter ahead, and proves each filter against its policy.
    ///
    /// - Returns: the file.
    /// - Throws: an error if a policy is wrong, or if a filter differs from its policy.
    package static func file(of library: PolicyLibrary) throws(PolicyError) -> [UInt8] {
        var writer = CompiledWriter()
        var parts: [CompiledPart] = []
        let names = try library.namesToCompile()
        for name in names {
            var filters: [Architecture: CompiledPart] = [:]
            for architecture in Architecture.allCases {
                let policy = try library.policy(named: name, for: architecture)
                for reporting in FilterReports.allCases { try FilterProof.prove(policy, reporting: reporting) }
                filters[architecture] = writer.part(try policy.filter().template)
            }
            let policy = try library.policy(named: name)
            guard policy.paths.callersGrants.isEmpty, policy.paths.repositories == .none else {
                throw PolicyError("\(name): a compiled policy holds no places of the caller")
            }
            let compiled = CompiledPolicy(
                policy, filters: filters, allowsEveryExec: try policy.filter().allowsEveryExec)
            parts.append(writer.part(try compiled.bytes()))
        }
        let index = try CompiledIndex(compiler: SeccompFilter.compiler, names: names, parts: parts).bytes()
        let size = unsafe withUnsafeBytes(of: UInt32(truncatingIfNeeded: index.count).littleEndian) { unsafe Array($0) }
        return size + index + writer.bytes
    }
}

/// Collects the parts of the file. Equal parts become one.
private struct CompiledWriter {
    var bytes: [UInt8] = []
    private var parts: [[UInt8]: CompiledPart] = [:]

    mutating func part(_ contents: [UInt8]) -> CompiledPart {
        if let known = parts[contents] { return known }
        let part = CompiledPart(rawValue: UInt64(bytes.count) << 32 | UInt64(contents.count))
        parts[contents] = part
        bytes += contents
        return part
    }
}

extension Message {
    fileprivate func bytes() throws(PolicyError) -> [UInt8] {
        do throws(EncodingFailure) {
            return try encoded()
        } catch {
            throw PolicyError("a compiled policy is too large: \(error)")
        }
    }
}
