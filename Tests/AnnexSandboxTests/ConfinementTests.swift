import Glibc
import Testing

@testable import AnnexLaunch

/// What confines this process itself, and what errors say about it.
@Suite(.timeLimit(.minutes(20))) struct ConfinementTests {
    private static let sandbox =
        "Name:\tannex\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t1\n"

    @Test func `a sandbox of Annex is known by all of its facts together`() {
        #expect(Confinement.isSandbox(hostname: "annex", status: { Self.sandbox }, hasAllOfProc: false))
        #expect(!Confinement.isSandbox(hostname: "annex", status: { Self.sandbox }, hasAllOfProc: true))
        #expect(!Confinement.isSandbox(hostname: "web-1", status: { Self.sandbox }, hasAllOfProc: false))
        #expect(!Confinement.isSandbox(hostname: "annex", status: { nil }, hasAllOfProc: false))
    }

    @Test(arguments: [
        ("CapBnd:\t0", "CapBnd:\t1"), ("NoNewPrivs:\t1", "NoNewPrivs:\t0"), ("Seccomp:\t2", "Seccomp:\t0"),
    ])
    func `a machine or container with the same name is no sandbox of Annex`(was: String, becomes: String) {
        let status = Self.sandbox.replacing(was, with: becomes)
        #expect(status != Self.sandbox)
        #expect(!Confinement.isSandbox(hostname: "annex", status: { status }, hasAllOfProc: false))
    }

    @Test func `a filter that denies Landlock is not mistaken for a kernel without it`() {
        #expect(!LandlockVersion.remedy(errno: EPERM, hasFilter: true).contains("CONFIG_SECURITY_LANDLOCK"))
        #expect(LandlockVersion.remedy(errno: ENOSYS, hasFilter: true).contains("seccomp filter"))
        #expect(!LandlockVersion.remedy(errno: EOPNOTSUPP, hasFilter: true).contains("seccomp"))
        #expect(!LandlockVersion.remedy(errno: ENOSYS, hasFilter: false).contains("seccomp"))
    }
}
