// Crashes in the way that its request names. Outside any sandbox, it crashes in the way that its argument names.
import AnnexExtension
import AnnexLinux
import CFixtures
import Glibc

final class CrashesAsTold: AppExtension {
    static func run() {
        guard CommandLine.arguments.count > 1 else { return main() }
        Faults.tell()
        crash(CommandLine.arguments[1])
    }

    func beginRequest(with context: ExtensionContext) {
        crash(context.inputItems.first?.contentText ?? "")
    }
}

@inline(never) func crash(_ way: String) {
    switch way {
    case "traps": trap()
    case "writes": crash_through_null()
    case "overflows": exit(Int32(truncatingIfNeeded: overflow(1)))
    case "aborts": quit()
    case "stops": crash_at_a_breakpoint()
    case "jumps": crash_to_nowhere()
    case "is sent a signal": crash_by_a_sent_signal()
    case "handles":
        crash_handled()
        crash_through_null()
    case "lies":
        crash_in_words(3)
        exit(5)
    case "lies and writes":
        crash_in_words(1)
        crash_through_null()
    case "lies and aborts":
        crash_in_words(1)
        quit()
    default: exit(9)
    }
}

@inline(never) func trap() { fatalError("a trap of its own") }

@inline(never) func quit() { abort() }

/// The recursive call is not the last operation, so that the compiler cannot turn it into a loop.
@inline(never) func overflow(_ depth: Int) -> Int { depth < 0 ? 0 : overflow(depth &+ 1) ^ depth }
