import AnnexRegistry
import AnnexShippedPolicies
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexBundle
@testable import AnnexPolicy

@Suite struct ShippedPointTests {
    static let names = PointLibrary.shipped.names

    @Test func `every file of Policies points is shipped unchanged`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Policies/points")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path())
        #expect(files.sorted() == Self.names.map { $0 + ".yaml" })
        for name in Self.names {
            let text = try String(contentsOf: folder.appending(path: name + ".yaml"), encoding: .utf8)
            #expect(ShippedTexts.points[name] == text, "\(name)")
        }
    }

    @Test func `every shipped policy is either the policy of a point or a general one`() {
        let general: Set = ["base", "compute", "resources", "storage", "tool", "transfer", "workspace"]
        #expect(Set(Self.names).union(general) == Set(PolicyLibrary.shipped.names))
        #expect(general.isDisjoint(with: Self.names))
    }

    @Test(arguments: names)
    func `a shipped point is read, has a policy of its own, and states everything`(name: String) throws {
        let text = try #require(ShippedTexts.points[name])
        let point = try ExtensionPoint(text: text, file: name + ".yaml")
        #expect(PointLibrary.shipped.point(name) == point)
        #expect(point.identifier == name && point.policy == name && !point.name.isEmpty)
        for key in ["default", "open-url", "input", "entitlements", "attributes", "messages"] {
            #expect(point.places[key] != nil, "\(name) does not state `\(key)`")
        }
        let policy = try Policy.compiledAhead(named: point.policy)
        #expect(try point.limiting(policy).limits == policy.limits, "a shipped point has its limits in its policy")
    }

    @Test func `P5: keyboards and Today widgets are off until the user turns them on`() {
        let off = Self.names.filter { PointLibrary.shipped.point($0)?.isOnByDefault == false }
        #expect(off == ["com.apple.keyboard-service", "com.apple.widget-extension"])
    }

    @Test func `L10: the input of keyboards and notifications and messages and intents is private`() {
        let isPrivate = Self.names.filter { PointLibrary.shipped.point($0)?.hasPrivateInput == true }
        #expect(
            isPrivate == [
                "com.apple.intents-service", "com.apple.keyboard-service", "com.apple.message-payload-provider",
                "com.apple.usernotifications.content-extension",
            ])
    }

    @Test func `S6: only Today widgets and iMessage may open a URL`() {
        let openings = Self.names.map { PointLibrary.shipped.point($0)?.openURL }
        for (name, opening) in zip(Self.names, openings) {
            switch name {
            case "com.apple.widget-extension": #expect(opening == .anyAfterAction)
            case "com.apple.message-payload-provider": #expect(opening == .containingApp)
            default: #expect(opening == URLOpening.none, "\(name)")
            }
        }
    }

    @Test(arguments: names) func `no shipped point gives a right without the user`(name: String) throws {
        let point = try #require(PointLibrary.shipped.point(name))
        #expect(point.defaultEntitlements.isEmpty)
        #expect(point.accepts(.appSandbox) && point.accepts(.applicationGroups))
        #expect(point.media.isEmpty == (name != "com.apple.message-payload-provider"))
    }
}
