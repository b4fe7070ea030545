import AnnexGroups
import AnnexPortal
import CTestSupport
import Foundation
import Testing

@testable import AnnexPortalServer

/// Shared defaults from the view of their users.
@Suite(.timeLimit(.minutes(20))) struct SharedDefaultsTests {
    private let fixture: GroupFixture

    init() throws { fixture = try GroupFixture() }

    @Test func `S2: every kind of value comes back as it was`() throws {
        let (one, other) = (try fixture.defaults(), try fixture.defaults())
        let values: [String: ItemValue] = [
            "string": "text", "empty": "", "integer": .integer(.min), "double": 0.5, "bool": true,
            "date": .date(ItemDate(secondsSince1970: 1.5)), "data": .data([0, 255]),
            "list": ["a", 1, .list([.bool(false)])], "dictionary": ["key": ["nested": .data([])]],
        ]
        try one.set(values.mapValues { $0 })
        #expect(other.values == values)
        #expect(other.date(forKey: "date")?.secondsSince1970 == 1.5)
        #expect(other.array(forKey: "list")?.count == 3 && other.dictionary(forKey: "dictionary")?.count == 1)
    }

    @Test func `S2: registered values show where no value is set`() throws {
        let defaults = try fixture.defaults()
        defaults.register(["color": "red", "size": 1])
        #expect(defaults.string(forKey: "color") == "red")
        try defaults.set("blue", forKey: "color")
        #expect(defaults.string(forKey: "color") == "blue" && defaults.integer(forKey: "size") == 1)
        try defaults.removeValue(forKey: "color")
        #expect(defaults.string(forKey: "color") == "red")
        #expect(try fixture.defaults().string(forKey: "color") == nil)
    }

    @Test func `S2: a typed key has its default if there is no value of its type`() throws {
        let defaults = try fixture.defaults()
        let key = DefaultsKey("count", default: 7)
        #expect(defaults[key] == 7)
        try defaults.set(3, for: key)
        #expect(defaults[key] == 3)
        try defaults.set("three", forKey: "count")
        #expect(defaults[key] == 7)
    }

    @Test func `S2: a read of unchanged values makes no system call`() throws {
        let defaults = try fixture.defaults()
        try defaults.set(["one": 1, "two": "a text that is too long to be kept in place"])
        #expect(defaults.integer(forKey: "one") == 1)
        let context = Unmanaged.passUnretained(defaults).toOpaque()
        let result = filter_runs_without_calls(
            { context in
                guard let context else { return }
                let defaults = Unmanaged<SharedDefaults>.fromOpaque(context).takeUnretainedValue()
                for _ in 0..<1000 { precondition(defaults.integer(forKey: "one") == 1) }
            }, context)
        withExtendedLifetime(defaults) {}
        #expect(result == 1)
    }

    @Test func `S2: a read after a change by another process finds it`() throws {
        let (one, other) = (try fixture.defaults(), try fixture.defaults())
        for number in 0..<200 {
            try one.set(.integer(Int64(number)), forKey: "number")
            #expect(other.integer(forKey: "number") == Int64(number))
        }
    }

    @Test func `S2: a key without a name and a value that is too large change nothing`() throws {
        let defaults = try fixture.defaults()
        try defaults.set("kept", forKey: "key")
        func code(_ change: [String: ItemValue?]) -> PortalError.Code? {
            do throws(PortalError) {
                try defaults.set(change)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(["key": "other", "": "x"]) == .invalid)
        #expect(code(["key": "other", String(repeating: "k", count: 257): "x"]) == .invalid)
        #expect(code(["key": "other", "large": .data([UInt8](repeating: 0, count: 70_000))]) == .full)
        #expect(defaults.values == ["key": "kept"])
    }

    @Test func `S2: a store of other bytes is an error, and stays as it is`() throws {
        let group = try fixture.openGroup()
        let store = group.path + "/store.db"
        let foreign = Data("this is a letter and not a database, and long enough to have a header of one".utf8)
        try foreign.write(to: URL(filePath: store))
        let defaults = try fixture.defaults()
        #expect(throws: PortalError.self) { try defaults.refresh() }
        #expect(throws: PortalError.self) { try defaults.set("x", forKey: "key") }
        #expect(try Data(contentsOf: URL(filePath: store)) == foreign)
    }

    @Test func `S2: the stream names the keys that changed in another process`() async throws {
        let (one, other) = (try fixture.defaults(), try fixture.defaults())
        var changes = one.changes().makeAsyncIterator()
        try other.set(["a": 1, "b": 2])
        var keys: Set<String> = []
        while keys != ["a", "b"] { keys.formUnion(await changes.next() ?? []) }
        try other.set(["a": nil, "b": 2])
        #expect(await changes.next() == ["a"])
    }
}
