import AnnexActivation
import AnnexBrokerAPI
import AnnexModel
import Testing

@testable import AnnexHost

/// The types of installed apps that a host caches.
@Suite(.timeLimit(.minutes(20))) struct KeptTypesTests {
    private func app(_ name: String, digest: String = "0") -> InstalledExtension {
        InstalledExtension(
            id: "com.example.\(name).one", displayName: name, extensionPoint: "a", containingApp: "com.example.\(name)",
            build: InstalledExtension.Build(version: "1", digest: digest))
    }

    private func types(_ identifier: String, ending: String, key: String = TypeDeclarations.exported) -> [String:
        ItemValue]
    {
        [
            key: [
                [
                    "UTTypeIdentifier": .string(identifier), "UTTypeConformsTo": "public.image",
                    "UTTypeTagSpecification": ["public.filename-extension": .string(ending)],
                ]
            ]
        ]
    }

    @Test func `A3: declarations are read once for the same builds`() {
        let kept = KeptTypes()
        var reads = 0
        func ask(_ apps: [InstalledExtension]) -> TypeTable {
            kept.table(for: apps, again: { apps }) { one in
                reads += 1
                return types("\(one.containingApp).type", ending: "end\(reads)")
            }
        }
        for _ in 0..<3 { #expect(ask([app("a"), app("b")]).type(ofFile: "x.end1")?.rawValue == "com.example.a.type") }
        #expect(reads == 2)
        #expect(ask([app("a", digest: "1"), app("b")]).type(ofFile: "x.end3") != nil && reads == 4)
    }

    @Test
    func `A3: an app whose declarations cannot be carried costs one read, and a broken connection stops the reading`() {
        for (code, expected) in [(BrokerError.Code.invalidBundle, 2), (.unreachable, 2)] {
            let kept = KeptTypes()
            var reads = 0
            for _ in 0..<2 {
                let apps = [app("a"), app("b")]
                _ = kept.table(for: apps, again: { apps }) { one throws(BrokerError) in
                    reads += 1
                    throw BrokerError(code, what: "is wrong", place: one.id)
                }
            }
            // With the first code, each of the two apps is read once, and the outcome is cached. With the second
            // code, each of the two rounds stops after its first read.
            #expect(reads == expected, "\(code)")
        }
    }

    @Test func `A3: an app that was replaced while it was read is read again`() {
        let kept = KeptTypes()
        var reads = 0
        for _ in 0..<2 {
            _ = kept.table(for: [app("a")], again: { [app("a", digest: "1")] }) { _ in
                reads += 1
                return [:]
            }
        }
        #expect(reads == 2)
    }

    @Test func `A3: the types of an app of their own name count before those of another app`() {
        let kept = KeptTypes()
        let apps = [app("a"), app("b")]
        let table = kept.table(for: apps, again: { apps }) { one in
            types("com.example.b.type", ending: one.containingApp == "com.example.b" ? "real" : "squatted")
        }
        let type = TypeIdentifier(rawValue: "com.example.b.type")
        #expect(table.type(ofFile: "x.real") == type && table.type(ofFile: "x.squatted") == nil)
    }
}
