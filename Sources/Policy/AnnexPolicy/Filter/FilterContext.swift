internal import AnnexLinux
internal import CAnnexLinux
internal import CAnnexSeccomp
internal import Glibc

/// Owns one libseccomp context.
@safe
package struct FilterContext: ~Copyable {
    /// The answer that a filter gives by itself, without asking the broker.
    package enum Action: Sendable {
        case allow
        case deny(errno: Int32)
        case endProcess

        fileprivate var number: UInt32 {
            switch self {
            case .allow: annex_seccomp_allow()
            case .deny(let errno): annex_seccomp_errno(UInt16(truncatingIfNeeded: errno))
            case .endProcess: annex_seccomp_kill()
            }
        }
    }

    private let context: scmp_filter_ctx
    private let architecture: Architecture

    /// Makes an empty filter. If a call has no rule, the filter notifies the broker. If a call belongs to another
    /// architecture or to x32, the filter ends the process.
    package static func make(for architecture: Architecture) throws(PolicyError) -> FilterContext {
        // SAFETY: the function takes no pointer. The `FilterContext` made below owns the result, and releases it in
        // `deinit`.
        guard let raw = unsafe seccomp_init(annex_seccomp_notify()) else {
            throw PolicyError("libseccomp has no user notification: install version 2.5 or newer")
        }
        let made = unsafe FilterContext(context: raw, architecture: architecture)
        try made.configure()
        return made
    }

    private func configure() throws(PolicyError) {
        if architecture != .current {
            let current = Architecture.current.audit
            try check("seccomp_arch_remove", result: unsafe seccomp_arch_remove(context, current))
            try check("seccomp_arch_add", result: unsafe seccomp_arch_add(context, architecture.audit))
        }
        // The filter searches the call numbers as a tree. It finds every call after about eight comparisons. So no call
        // needs a priority, and a long policy does not slow down a frequent call.
        try check(
            "a filter that is a search tree", result: unsafe seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2))
        try check(
            "the action for foreign architectures",
            result: unsafe seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, annex_seccomp_kill()))
    }

    deinit {
        // SAFETY: the context was made in `make`, and only this value owns it.
        unsafe seccomp_release(context)
    }

    /// Adds one rule. Its action applies if all comparisons hold.
    package func add(
        _ action: Action, to call: SystemCall, if parts: [CallRule.Part], at place: PolicyPlace?
    ) throws(PolicyError) {
        let number = try number(of: call, at: place)
        let comparisons = parts.map { $0.comparison.seccomp(register: $0.index) }
        let action = action.number
        // SAFETY: libseccomp copies the comparisons and keeps no pointer to them.
        let result = unsafe comparisons.withUnsafeBufferPointer { buffer in
            unsafe seccomp_rule_add_exact_array(context, action, number, UInt32(buffer.count), buffer.baseAddress)
        }
        // Adding the same rule again changes nothing.
        if result == -EEXIST { return }
        try check("`\(call.name)`", result: result, at: place)
    }

    /// The finished program as `struct sock_filter[]`.
    package func export() throws(PolicyError) -> [UInt8] {
        do throws(SystemError) {
            let number = unsafe annex_memfd_create("annex-filter", 0)
            let memory = Descriptor(owning: try SystemError.check("memfd_create", number))
            _ = try SystemError.check("seccomp_export_bpf", unsafe seccomp_export_bpf(context, memory.number))
            return try Self.contents(of: memory)
        } catch {
            throw PolicyError("the filter cannot be exported: \(error)")
        }
    }

    private static func contents(of memory: borrowing Descriptor) throws(SystemError) -> [UInt8] {
        let file = memory.number
        let size = try SystemError.retrying("lseek") { Glibc.lseek(file, 0, SEEK_END) }
        var bytes = [UInt8](repeating: 0, count: size)
        // SAFETY: the call reads at most as many bytes into the array as the array has.
        let count = try SystemError.retrying("pread") {
            unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.pread(file, $0.baseAddress, $0.count, 0) }
        }
        return Array(bytes.prefix(count))
    }

    private func check(_ what: String, result: Int32, at place: PolicyPlace? = nil) throws(PolicyError) {
        guard result < 0 else { return }
        throw PolicyError("libseccomp refuses \(what): \(SystemError("seccomp", errno: -result))", at: place)
    }
}

extension FilterContext {
    /// The call's number as libseccomp expects it: the number on this machine's architecture, even in a filter for
    /// another architecture. libseccomp finds the other architecture's number by the call's name.
    private func number(of call: SystemCall, at place: PolicyPlace?) throws(PolicyError) -> Int32 {
        if architecture == .current { return call.number }
        let number = unsafe seccomp_syscall_resolve_name(call.name)
        guard number != -1 else {
            throw PolicyError(
                "this libseccomp does not know `\(call.name)`, so \(Architecture.current) cannot compile it for \(architecture)",
                at: place)
        }
        return number
    }
}

extension Comparison {
    fileprivate func seccomp(register: Int) -> scmp_arg_cmp {
        let (operation, first, second): (scmp_compare, UInt64, UInt64) =
            switch self {
            case .masked(.max, let value): (SCMP_CMP_EQ, value, 0)
            case .masked(let mask, let value): (SCMP_CMP_MASKED_EQ, mask, value)
            case .not(let value): (SCMP_CMP_NE, value, 0)
            case .below(let bound): (SCMP_CMP_LT, bound, 0)
            case .atMost(let bound): (SCMP_CMP_LE, bound, 0)
            case .above(let bound): (SCMP_CMP_GT, bound, 0)
            case .atLeast(let bound): (SCMP_CMP_GE, bound, 0)
            }
        return scmp_arg_cmp(arg: UInt32(register), op: operation, datum_a: first, datum_b: second)
    }
}
