import CAnnexSeccomp
import Foundation
import Testing

@testable import AnnexPolicy

@Suite struct SystemCallTableTests {
    static let header = "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"

    @Test(.enabled(if: FileManager.default.fileExists(atPath: header), "no x86-64 kernel headers here"))
    func `the table of calls agrees with the kernel header`() throws {
        let lines = try String(contentsOfFile: Self.header, encoding: .utf8).split(separator: "\n")
        var seen = 0
        for line in lines where line.hasPrefix("#define __NR_") {
            let words = line.split(separator: " ")
            let name = String(words[1].dropFirst("__NR_".count))
            #expect(SystemCall(named: name, architecture: .x86)?.number == Int32(words[2]), "\(name)")
            seen += 1
        }
        #expect(seen > 300)
    }

    @Test(arguments: Architecture.allCases)
    func `the table of calls agrees with libseccomp`(architecture: Architecture) {
        var seen = 0
        for call in SystemCallTable.of(architecture).byName.values {
            let known = seccomp_syscall_resolve_name_arch(architecture.audit, call.name)
            // If the result is -1, the call is newer than this libseccomp.
            guard known != -1 else { continue }
            #expect(known == call.number, "\(call.name)")
            seen += 1
        }
        #expect(seen > 250)
    }

    @Test func `calls that are newer than libseccomp are known`() {
        for architecture in Architecture.allCases {
            #expect(SystemCall(named: "mseal", architecture: architecture)?.number == 462)
            #expect(SystemCall(number: 470, architecture: architecture)?.name == "listns")
        }
        #expect(SystemCall(number: 1000) == nil)
        #expect(SystemCall(named: "open", architecture: .arm) == nil)
    }

    @Test func `every line of the tables of calls is understood`() {
        let kinds = ArgumentKind.table.split(separator: "\n").count
        let signatures = SystemCallTable.signatures.split(separator: "\n")
        for architecture in Architecture.allCases {
            let table = SystemCallTable.of(architecture)
            #expect(table.kinds.count == kinds)
            for line in signatures {
                let words = line.split(separator: " ")
                guard let call = table.byName[String(words[0])] else { continue }
                #expect(call.arguments?.count == words.count - 1, "\(line)")
            }
        }
        for line in signatures {
            #expect(SystemCallTable.allNames.contains(String(line.split(separator: " ")[0])), "\(line)")
        }
        #expect(Set(SystemCallTable.entries.map(\.name)).count == SystemCallTable.entries.count)
    }
}
