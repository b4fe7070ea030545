import AnnexLinux
import AnnexTestSupport
import AnnexWarden
import Foundation
import Testing

@testable import AnnexLaunch

/// A bind with an id map. On disk, the files belong to one user, even if the process runs as another user.
@Suite(.timeLimit(.minutes(20))) struct OwnedBindTests {
    private static let owner: UInt32 = 1_610_700_777

    /// A plan whose `/data` is a directory of the owner, with an id map.
    private func plan(_ fixture: WardenFixture, _ place: URL) throws -> LaunchPlan {
        var plan = try fixture.plan("world", "/data")
        (plan.insideUser, plan.insideGroup) = (Self.owner, Self.owner)
        try plan.bind(WardenFixture.open(place), at: "/data", access: [.writable, .noExecute, .owned])
        return plan
    }

    private func directory(_ fixture: WardenFixture) throws -> URL {
        let place = try fixture.directory("kept")
        chmod(place.path, 0o700)
        if geteuid() == 0 { chown(place.path, Self.owner, Self.owner) }
        return place
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, who alone may give an id map to a mount"))
    func `files in an owned bind belong to the owner on disk and to the process inside`() async throws {
        let fixture = try WardenFixture()
        let place = try directory(fixture)
        let world = try await fixture.launch(plan(fixture, place)).world()
        #expect(world["/data.write"] == "0", "\(world)")
        #expect(world["uid"] == "\(Self.owner)", "\(world)")
        let file = try FileManager.default.attributesOfItem(atPath: place.path + "/written")
        #expect(file[.ownerAccountID] as? UInt32 == Self.owner && file[.groupOwnerAccountID] as? UInt32 == Self.owner)
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, who alone may give an id map to a mount"))
    func `a file of another user in an owned bind stays out of reach`() async throws {
        let fixture = try WardenFixture()
        let place = try directory(fixture)
        chown(place.path, 0, 0)
        let world = try await fixture.launch(plan(fixture, place)).world()
        #expect(world["/data.write"] == "\(EACCES)", "\(world)")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, who alone may mount here"))
    func `a file system without id maps fails at its step with the remedy`() async throws {
        let fixture = try WardenFixture()
        let place = try directory(fixture)
        try #require(mount("annex-test", place.path, "ramfs", 0, nil) == 0)
        defer { umount2(place.path, Int32(MNT_DETACH)) }
        let run = try fixture.launch(plan(fixture, place))
        await run.recording.finish()
        let failure = try #require(run.recording.failure)
        #expect(failure.step == .owners && failure.errno == EINVAL, "\(failure)")
        #expect(failure.subject == place.path && failure.remedy?.contains("id map") == true, "\(failure)")
    }

    @Test(.enabled(if: geteuid() != 0, "needs an ordinary user: as root an owned bind works"))
    func `a warden that is not root gives no id map`() async throws {
        let fixture = try WardenFixture()
        let run = try fixture.launch(plan(fixture, directory(fixture)))
        await run.recording.finish()
        #expect(run.recording.failure?.step == .owners && run.recording.failure?.errno == EPERM)
        #expect(run.recording.failure?.remedy != nil)
    }

    @Test(arguments: ["root", "group", "namespace"])
    func `an owned bind never maps the user root, and needs a user namespace`(flaw: String) async throws {
        let fixture = try WardenFixture()
        var plan = try plan(fixture, directory(fixture))
        switch flaw {
        case "root": plan.insideUser = 0
        case "group": plan.insideGroup = 0
        default: plan.layers.subtract([.user, .time])
        }
        let run = try fixture.launch(plan)
        await run.recording.finish()
        #expect(run.recording.failure?.step == .plan && run.recording.failure?.errno == EINVAL)
    }

    @Test func `bits of a bind in Swift are those of the warden`() {
        #expect(BindAccess.owned.rawValue == UInt32(ANNEX_BIND_OWNED))
        #expect(BindAccess.noExecute.rawValue == UInt32(ANNEX_BIND_NO_EXECUTE))
    }
}
