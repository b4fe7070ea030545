import Foundation
import Testing

@testable import AnnexPolicy

@Suite struct ShippedPolicyTests {
    static let names = PolicyLibrary.shipped.names

    @Test func `every file of Policies is shipped unchanged`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Policies")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path())
            .filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }
        let policies = files.filter { !$0.hasSuffix(".expectations.yaml") }
        #expect(policies.count == Self.names.count)
        #expect(
            ShippedTexts.expectations.count
                == files.count - policies.count + PolicyLibrary.shipped.entitlements.count
                + PolicyLibrary.shipped.allowances.count)
        for file in files where file.hasSuffix(".expectations.yaml") {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            #expect(ShippedTexts.expectations[String(file.dropLast(".expectations.yaml".count))] == text, "\(file)")
        }
        for file in policies {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            #expect(PolicyLibrary.shipped.text(named: String(file.dropLast(".yaml".count))) == text, "\(file)")
        }
    }

    @Test(arguments: ["entitlements", "allowances"])
    func `every fragment of Policies is shipped unchanged with its expectations`(kind: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Policies/\(kind)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter { $0.hasSuffix(".yaml") }
        let library = PolicyLibrary.shipped
        let names = kind == "entitlements" ? library.entitlements : library.allowances
        #expect(files.count == 2 * names.count)
        for name in names {
            let text = try String(contentsOf: folder.appending(path: "\(name).yaml"), encoding: .utf8)
            #expect(library.text(ofFragment: name) == text)
            let expected = try String(contentsOf: folder.appending(path: "\(name).expectations.yaml"), encoding: .utf8)
            #expect(ShippedTexts.expectations[name] == expected)
        }
    }

    /// The built-in extension points, and the special property of each.
    static let points = [
        "com.apple.widget-extension", "com.apple.share-services", "com.apple.ui-services", "com.apple.photo-editing",
        "com.apple.fileprovider-nonui", "com.apple.fileprovider-ui", "com.apple.keyboard-service",
        "com.apple.message-payload-provider", "com.apple.usernotifications.content-extension",
        "com.apple.intents-service",
    ]

    @Test func `every built-in extension point has its policy`() {
        #expect(Set(Self.points).isSubset(of: Self.names))
        #expect(Set(["base", "compute"]).isSubset(of: Self.names))
    }

    @Test func `L2: widgets get the least memory and every point starts within a second`() throws {
        let policies = try Self.points.map { try Policy.shipped(named: $0) }
        let least = try #require(policies.min { $0.limits.memory < $1.limits.memory })
        #expect(least.name == "com.apple.widget-extension")
        #expect(policies.filter { $0.limits.memory == least.limits.memory }.count == 1)
        for policy in policies {
            #expect(policy.limits.launch == .seconds(1), "\(policy.name)")
            #expect(policy.limits.processes == 1, "\(policy.name)")
        }
    }

    @Test(arguments: points)
    func `NET-01: no extension point reaches a network, a device or a file outside`(name: String) throws {
        let policy = try Policy.shipped(named: name)
        #expect(policy.network == .none && policy.devices.isEmpty && policy.paths.grants.isEmpty)
        #expect(policy.paths.processFiles == .none)
        for call in ["socket", "execve", "fork", "clone", "ptrace", "unshare", "mount", "bpf", "io_uring_setup"] {
            guard let number = SystemCall(named: call)?.number else { continue }
            #expect(policy.verdict(number: number, arguments: [0, 0, 0, 0, 0, 0]).answer != .allow, "\(call)")
        }
    }

    @Test func `a keyboard has no file in which to keep typed text`() throws {
        let policy = try Policy.shipped(named: "com.apple.keyboard-service")
        #expect(policy.paths.privateDirectories.isEmpty)
        for path in ["/bundle/x", "/private/x", "/tmp/x"] {
            #expect(!policy.verdict(path: path, rights: .write).isAllowed)
        }
    }

    @Test(arguments: names, Architecture.allCases)
    func `every shipped policy compiles to a filter`(name: String, architecture: Architecture) throws {
        let filter = try Policy.shipped(named: name, for: architecture).filter()
        #expect(filter.count > 50)
    }

    @Test func `compute allows at most 45 calls`() throws {
        let allowed = try Policy.shipped(named: "compute").allowedCalls
        print("compute allows \(allowed.count): \(allowed.joined(separator: " "))")
        #expect(allowed.count <= 45)
    }
}
