import CAnnexSeccomp
import Foundation
import Glibc
import Testing

@testable import AnnexPolicy

/// Turns a container profile into a filter in the same way as Docker and runc do, without any code of the importer.
/// Foundation reads the JSON, and libseccomp resolves the names.
struct ReferenceProfile {
    struct Failure: Error {
        let call: String
        let errno: Int32
    }

    let program: [FilterInstruction]
    /// Every call that has a rule, with the edge values of its comparisons.
    let edges: [Int32: [Int: Set<UInt64>]]

    init(json: [UInt8], capabilities: Set<String>, kernel: (Int, Int)) throws {
        let root = try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any] ?? [:]
        let fallback = Self.action(root["defaultAction"], root["defaultErrnoRet"])
        let context = try #require(seccomp_init(fallback))
        defer { seccomp_release(context) }
        var edges: [Int32: [Int: Set<UInt64>]] = [:]
        for case let entry as [String: Any] in root["syscalls"] as? [Any] ?? [] {
            guard Self.applies(entry, capabilities, kernel) else { continue }
            let action = Self.action(entry["action"], entry["errnoRet"])
            if action == fallback { continue }
            let names = entry["names"] as? [String] ?? [entry["name"] as? String].compactMap { $0 }
            for name in names {
                let number = Self.number(name)
                // These names are calls only of other architectures, or are no calls at all.
                guard number >= 0 else { continue }
                for comparisons in Self.comparisons(entry["args"] as? [[String: Any]] ?? []) {
                    let result = seccomp_rule_add_array(
                        context, action, number, UInt32(comparisons.count), comparisons)
                    guard result == 0 || result == -EEXIST else { throw Failure(call: name, errno: -result) }
                    for one in comparisons {
                        edges[number, default: [:]][Int(one.arg), default: []].formUnion(Self.edges(of: one))
                    }
                }
            }
        }
        program = try Self.exported(context)
        self.edges = edges
    }

    private static func action(_ name: Any?, _ errno: Any?) -> UInt32 {
        switch name as? String {
        case "SCMP_ACT_ALLOW": annex_seccomp_allow()
        case "SCMP_ACT_ERRNO": annex_seccomp_errno(UInt16((errno as? NSNumber)?.intValue ?? Int(EPERM)))
        default: annex_seccomp_kill()
        }
    }

    /// The number that libseccomp gives. If the call is newer than this libseccomp, the result is the kernel's
    /// number.
    private static func number(_ name: String) -> Int32 {
        let number = seccomp_syscall_resolve_name(name)
        return number == -1 ? SystemCall(named: name)?.number ?? -1 : number
    }

    private static func applies(_ entry: [String: Any], _ capabilities: Set<String>, _ kernel: (Int, Int)) -> Bool {
        func parts(_ key: String) -> (caps: [String], arches: [String], isNew: Bool?) {
            let part = entry[key] as? [String: Any] ?? [:]
            let version = (part["minKernel"] as? String)?.split(separator: ".").compactMap { Int($0) }
            let isNew = version.map { kernel >= ($0[0], $0[1]) }
            return (part["caps"] as? [String] ?? [], part["arches"] as? [String] ?? [], isNew)
        }
        let (barred, wanted) = (parts("excludes"), parts("includes"))
        if barred.arches.contains("amd64") || !capabilities.isDisjoint(with: barred.caps) { return false }
        if barred.isNew == true || wanted.isNew == false { return false }
        return (wanted.arches.isEmpty || wanted.arches.contains("amd64")) && capabilities.isSuperset(of: wanted.caps)
    }

    /// Two comparisons of the same register become two rules.
    private static func comparisons(_ list: [[String: Any]]) -> [[scmp_arg_cmp]] {
        func number(_ value: Any?) -> UInt64 { (value as? NSNumber)?.uint64Value ?? 0 }
        let names: [String: scmp_compare] = [
            "SCMP_CMP_NE": SCMP_CMP_NE, "SCMP_CMP_LT": SCMP_CMP_LT, "SCMP_CMP_LE": SCMP_CMP_LE,
            "SCMP_CMP_EQ": SCMP_CMP_EQ, "SCMP_CMP_GE": SCMP_CMP_GE, "SCMP_CMP_GT": SCMP_CMP_GT,
            "SCMP_CMP_MASKED_EQ": SCMP_CMP_MASKED_EQ,
        ]
        let all = list.map { item in
            scmp_arg_cmp(
                arg: UInt32(number(item["index"])), op: names[item["op"] as? String ?? ""] ?? SCMP_CMP_EQ,
                datum_a: number(item["value"]), datum_b: number(item["valueTwo"]))
        }
        return Set(all.map(\.arg)).count == all.count ? [all] : all.map { [$0] }
    }

    private static func edges(of one: scmp_arg_cmp) -> Set<UInt64> {
        var values: Set<UInt64> = [0, .max]
        for bound in [one.datum_a, one.datum_b] {
            values.formUnion([bound, bound &- 1, bound &+ 1, bound | 0xFFFF_FFFF << 32, ~bound])
            for bit in 0..<64 as Range<UInt64> { values.insert(bound ^ (1 << bit)) }
        }
        return values
    }

    private static func exported(_ context: scmp_filter_ctx) throws -> [FilterInstruction] {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        guard seccomp_export_bpf(context, fileno(file)) == 0 else { throw Failure(call: "export", errno: errno) }
        lseek(fileno(file), 0, SEEK_SET)
        let handle = FileHandle(fileDescriptor: fileno(file), closeOnDealloc: false)
        let bytes = [UInt8](handle.readDataToEndOfFile())
        return FilterInstruction.program(bytes)
    }
}

extension ReferenceProfile {
    /// Registers for one call. They cover every pair of compared registers at all their edge values.
    func arguments(of number: Int32) -> [[UInt64]] {
        var all: [[UInt64]] = [[0, 0, 0, 0, 0, 0], [UInt64](repeating: .max, count: 6), [1, 2, 3, 4, 5, 6]]
        let registers = (edges[number] ?? [:]).sorted { $0.key < $1.key }
        for (index, values) in registers {
            for start in all.prefix(600) {
                for value in values {
                    var registers = start
                    registers[index] = value
                    all.append(registers)
                }
            }
        }
        return all
    }

    /// The answer of libseccomp's filter.
    func answer(_ number: Int32, _ arguments: [UInt64]) throws -> FilterAnswer {
        try FilterEvaluator(program: program).answer(
            to: FilterEvaluator.Call(number: number, architecture: Architecture.x86.audit, arguments: arguments))
    }
}
