import Glibc
import Testing

@testable import AnnexLinux

/// Whether `/proc` belongs to this program's own process namespace.
@Suite struct ProcNumberTests {
    @Test func `the kernel lists one number for each namespace from that of proc inwards`() {
        #expect(ProcNumber.depth(in: "Pid:\t7\nNSpid:\t7\n", link: nil, process: 7) == 0)
        #expect(ProcNumber.depth(in: "Pid:\t900\nNSpid:\t900\t7\n", link: "900", process: 7) == 1)
    }

    @Test(arguments: [nil, "", "Pid:\t7\n"]) func `without this list the link of proc to itself decides`(text: String?)
    {
        #expect(ProcNumber.depth(in: text, link: "7", process: 7) == 0)
        #expect(ProcNumber.depth(in: text, link: "900", process: 7) == nil)
        #expect(ProcNumber.depth(in: text, link: nil, process: 7) == nil)
    }

    @Test func `a proc that does not show this program has no number for it`() {
        #expect(ProcNumber.depth(in: "Pid:\t0\nNSpid:\t0\n", link: "7", process: 7) == nil)
    }

    @Test func `here every number leads to its own process`() {
        #expect(ProcNumber.depth != nil && ProcNumber.listed(getpid()) > 0)
        #expect(ProcNumber.own(ProcNumber.listed(getpid())) == getpid())
    }
}
