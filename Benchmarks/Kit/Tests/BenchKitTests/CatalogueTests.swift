import BenchKit
import Testing

@Suite struct CatalogueTests {
    @Test func `every requirement looks at contestants of a scene that is judged`() throws {
        for requirement in Catalogue.requirements {
            let scene = try #require(Catalogue.scenes.first { $0.id == requirement.scene }, "\(requirement.title)")
            #expect(scene.isJudged, "\(requirement.title)")
            let names = Set(scene.contestants.map(\.name))
            #expect(names.contains(requirement.subject), "\(requirement.title): \(requirement.subject)")
            var isAlone = false
            if case .within = requirement.bound { isAlone = true }
            #expect(
                requirement.against.isEmpty == isAlone && names.isSuperset(of: requirement.against),
                "\(requirement.title)")
        }
    }

    @Test func `a scene's contestants have names of their own, and it is measured where luck does not decide`() {
        #expect(Set(Catalogue.scenes.map(\.id)).count == Catalogue.scenes.count)
        for scene in Catalogue.scenes {
            #expect(Set(scene.contestants.map(\.name)).count == scene.contestants.count, "\(scene.id)")
            // A launch has many processes, and the kernel places each of them. So the placement is free for Annex and
            // for the contestants with which Annex is compared.
            let isPlaced = scene.setting.placement != .anywhere || scene.topic == .launch
            #expect(!scene.isJudged || isPlaced, "\(scene.id)")
        }
    }
}
