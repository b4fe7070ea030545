import CLibFuzzer
import Glibc

/// Runs libFuzzer over one reader of hostile bytes: the reader that the program's name chooses.
@main
enum Fuzzer {
    private static let harnesses: [String: @Sendable () -> Void] = [
        "FuzzActivationRule": FuzzActivationRule.main,
        "FuzzArchive": FuzzArchive.main,
        "FuzzContainerProfile": FuzzContainerProfile.main,
        "FuzzContentTree": FuzzContentTree.main,
        "FuzzElfFile": FuzzElfFile.main,
        "FuzzEntitlements": FuzzEntitlements.main,
        "FuzzExpectations": FuzzExpectations.main,
        "FuzzIcon": FuzzIcon.main,
        "FuzzMachineText": FuzzMachineText.main,
        "FuzzMessage": FuzzMessage.main,
        "FuzzNetwork": FuzzNetwork.main,
        "FuzzPointFile": FuzzPointFile.main,
        "FuzzPolicyFragment": FuzzPolicyFragment.main,
        "FuzzPolicyText": FuzzPolicyText.main,
        "FuzzPredicate": FuzzPredicate.main,
        "FuzzProcText": FuzzProcText.main,
        "FuzzPropertyList": FuzzPropertyList.main,
        "FuzzReceiver": FuzzReceiver.main,
        "FuzzRecording": FuzzRecording.main,
        "FuzzSeal": FuzzSeal.main,
        "FuzzStrings": FuzzStrings.main,
    ]

    static func main() {
        let name = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
        let names = harnesses.keys.sorted()
        if name == "annex-fuzz" { return print(names.joined(separator: "\n")) }
        guard let harness = harnesses[name] else {
            print("annex: the name of this program must be one of \(names.joined(separator: " "))")
            exit(64)
        }
        harness()
    }

    /// Never returns. The engine ends the program, with exit status 0 if every run returned.
    static func run(_ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32) -> Never {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&count, &arguments, test))
    }

    /// The engine's input, as bytes and as text. In the text, bytes that are not UTF-8 are replaced.
    static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
        Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// Ends the run if a condition is false, because the reader broke its promise. The engine stores the bytes that
    /// caused this.
    static func expect(_ holds: Bool, _ what: String) {
        if !holds { fatalError(what) }
    }
}
