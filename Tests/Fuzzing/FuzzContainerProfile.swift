import AnnexPolicy

@testable import AnnexPolicyTools

/// For any bytes, the reader returns a container profile's rules or an error.
enum FuzzContainerProfile {
    static func main() {
        Fuzzer.run { start, count in
            FuzzContainerProfile.read(Fuzzer.bytes(start, count))
            return 0
        }
    }

    private static func read(_ bytes: [UInt8]) {
        guard let kernel = ProfileWorld.Kernel("6.1") else { return }
        let world = ProfileWorld(
            architecture: bytes.count.isMultiple(of: 2) ? .x86 : .arm, capabilities: ["CAP_SYS_ADMIN"], kernel: kernel)
        guard let profile = try? ContainerProfile(json: bytes, file: "fuzz.json", world: world),
            (try? ProfileRules(profile)) != nil
        else { return }
        // Comparing the policy with libseccomp takes milliseconds. So only one input in several thousand is compared.
        let sum = bytes.reduce(into: UInt32(17)) { $0 = $0 &* 31 &+ UInt32($1) }
        guard sum % 4096 == 0 else { return }
        _ = try? ImportedProfile(json: bytes, file: "fuzz.json", name: "fuzz", world: world)
    }
}
