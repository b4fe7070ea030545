internal import AnnexPolicy

extension Policy {
    /// Whether a program under this policy can send itself a signal. Then the kernel need not have sent it.
    func letsSendItself(_ signal: Int32) -> Bool {
        let (process, number) = (UInt64(2), UInt64(signal))
        let ways: [(call: String, arguments: [UInt64])] = [
            ("kill", [process, number]), ("tkill", [process, number]), ("tgkill", [process, process, number]),
            ("rt_sigqueueinfo", [process, number]), ("rt_tgsigqueueinfo", [process, process, number]),
            ("pidfd_send_signal", [process, number]), ("timer_create", []),
        ]
        return ways.contains { way in
            guard let call = SystemCall(named: way.call, architecture: architecture) else { return false }
            let rest = [UInt64](repeating: 0, count: 6 - way.arguments.count)
            return allowsByRule(number: call.number, arguments: way.arguments + rest)
        }
    }
}
