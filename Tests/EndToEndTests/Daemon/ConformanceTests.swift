import AnnexChannel
import AnnexEmbedded
import AnnexHost
import AnnexTestSupport
import Conducts
import Foundation
import Testing

/// The same tests for an embedded broker and for a daemon. Host code must not be able to see a difference.
@Suite(.timeLimit(.minutes(20))) struct ConformanceTests {
    /// A host with one app, and the objects that must live as long as the host.
    private struct Scene {
        let host: AnnexHost
        let app: SubstituteApp
        let daemon: TestDaemon?
        /// The digest of the app's files.
        let digest: String?

        init(_ door: Door, running program: String = "works-on") async throws {
            app = try SubstituteApp(running: program)
            (host, daemon) = try await door.open()
            let installed = try await host.install(app: app.path)
            #expect(installed.map(\.id) == [SubstituteApp.identifier])
            digest = installed.first?.build.digest
            #expect(digest?.count == 16)
        }

        func begin(timeLimit: Duration? = nil, origin: String? = nil) async throws -> ExtensionSession {
            try await host.begin(SubstituteApp.identifier, timeLimit: timeLimit, origin: origin)
        }

        /// The broker's reason for rejecting the launch.
        func rejection(_ identifier: String = SubstituteApp.identifier) async -> BrokerError? {
            await host.rejection(identifier)
        }
    }

    private func ending(_ session: ExtensionSession, _ words: String) async throws -> Termination {
        do {
            let answer = try await session.request([ExtensionItem(contentText: words)])
            throw HostError.invalidRequest("answered with \(answer.first?.contentText ?? "")")
        } catch HostError.ended(let termination) {
            return termination
        }
    }

    @Test(arguments: Door.allCases) func `an installed extension is offered`(_ door: Door) async throws {
        let scene = try await Scene(door)
        #expect(
            await scene.host.extensions() == [
                InstalledExtension.example(
                    id: SubstituteApp.identifier, app: "com.example.shout", digest: scene.digest)
            ])
        #expect(await scene.host.extensions(for: "com.apple.ui-services").count == 1)
        #expect(await scene.host.extensions(for: "com.apple.photo-editing").isEmpty)
    }

    @Test(arguments: Door.allCases) func `a call of a task gives what the call that blocks gives`(_ door: Door)
        async throws
    {
        let scene = try await Scene(door)
        let (host, path, app, identifier) = (scene.host, scene.app.path, "com.example.shout", SubstituteApp.identifier)
        let items = [ExtensionItem(contentText: "hello")]
        #expect(try await host.install(app: path).map(\.build) == host.installAndWait(app: path).map(\.build))
        #expect(try await host.pin(app: app, to: "1") == host.pinAndWait(app: app, to: "1"))
        #expect(try await host.unpin(app: app) == host.unpinAndWait(app: app))
        #expect(try await host.attributes(of: identifier) == host.attributesAndWait(of: identifier))
        let hasIcon = (try await host.icon(of: identifier) != nil, try host.iconAndWait(of: identifier) != nil)
        #expect(hasIcon == (false, false))
        #expect(try await host.types().type(ofFile: "a.png") == host.typesAndWait().type(ofFile: "a.png"))
        #expect(try await host.extensions(for: items).others == host.extensionsAndWait(for: items).others)
        for isOn in [false, true] {
            try await host.setEnabled(isOn, for: identifier)
            #expect(try await host.installed() == host.installedAndWait())
            #expect(await host.extensions() == host.extensionsAndWait())
            #expect(host.extensionsAndWait(for: "com.apple.ui-services").count == (isOn ? 1 : 0))
            try host.setEnabledAndWait(!isOn, for: identifier)
            #expect(await host.extensions(for: "com.apple.ui-services").count == (isOn ? 0 : 1))
        }
        try await host.remove(app: app)
        #expect(try host.installedAndWait().isEmpty)
    }

    @Test(arguments: Door.allCases) func `a call of a task fails as the call that blocks fails`(_ door: Door)
        async throws
    {
        let (host, daemon) = try await door.open()
        let (none, net) = ("com.example.nobody", "com.apple.security.network.client")
        let calls: [(String, of: () async throws -> Void, blocking: () throws -> Void)] = [
            ("install", { try await host.install(app: "/None.app") }, { try host.installAndWait(app: "/None.app") }),
            ("grant", { try await host.grant(net, to: none) }, { try host.grantAndWait(net, to: none) }),
            ("revoke", { try await host.revoke(net, from: none) }, { try host.revokeAndWait(net, from: none) }),
            ("pin", { try await host.pin(app: none, to: "1") }, { try host.pinAndWait(app: none, to: "1") }),
            ("unpin", { try await host.unpin(app: none) }, { try host.unpinAndWait(app: none) }),
            ("remove", { try await host.remove(app: none) }, { try host.removeAndWait(app: none) }),
            ("switch", { try await host.setEnabled(true, for: none) }, { try host.setEnabledAndWait(true, for: none) }),
            ("open", { try await host.open("none://x") }, { try host.openAndWait("none://x") }),
            ("trust", { try await host.trust(keyFile: "/none") }, { try host.trustAndWait(keyFile: "/none") }),
            ("icon", { _ = try await host.icon(of: none) }, { _ = try host.iconAndWait(of: none) }),
            ("attributes", { _ = try await host.attributes(of: none) }, { _ = try host.attributesAndWait(of: none) }),
            ("standby", { _ = try await host.standby(for: none) }, { _ = try host.standbyAndWait(for: none) }),
        ]
        for (name, call, blocking) in calls {
            let error = await #expect(throws: BrokerError.self, "\(name)") { try await call() }
            #expect(throws: try #require(error), "\(name)") { try blocking() }
        }
        withExtendedLifetime(daemon) {}
    }

    @Test(arguments: Door.allCases) func `a request is answered and the launch report is complete`(_ door: Door)
        async throws
    {
        let scene = try await Scene(door)
        let session = try await scene.begin()
        let answer = try await session.request([ExtensionItem(contentText: "looks 5")])
        #expect(answer.first?.contentText == "looked")
        let report = session.launchReport
        #expect(report.steps.last?.name == "hello" && report.steps.count > 10, "\(report.steps.map(\.name))")
        #expect(report.layers.count > 5 && report.limits.count > 10 && report.policy == "com.apple.ui-services")
        #expect(report.total > .zero && report.memoryLimit > 0)
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
        #expect(end.usage.userTime != nil)
    }

    @Test(arguments: Door.allCases) func `typed calls are answered`(_ door: Door) async throws {
        let scene = try await Scene(door, running: "serves-types")
        var service = HostService()
        service.serve(Translation.self) { request in Word(String(request.word.text.reversed())) }
        let session = try await scene.host.begin(SubstituteApp.identifier, serving: service)
        #expect(try await session.call(Word("drow"), timeout: .patience) == Word("word!"))
        #expect(await session.complete().reason == .completed)
    }

    @Test(arguments: Door.allCases) func `L1: a launch ahead of need takes no slot that is taken`(_ door: Door)
        async throws
    {
        let scene = try await Scene(door)
        let denials = Refusals()
        let host = scene.host.observed(by: denials)
        let standby = try await host.standby(for: SubstituteApp.identifier, keeping: 17...17)
        await eventually { denials.list.count > 1 && standby.count == 16 }
        #expect(Set(denials.list) == [.noSlot])
        // A waiting session gets a slot.
        let session = try await scene.begin()
        #expect(try await session.request([ExtensionItem(contentText: "looks 1")]).first?.contentText == "looked")
        await eventually { standby.count == 15 }
        #expect(await session.complete().reason == .completed)
    }

    @Test(arguments: Door.allCases) func `a host without tasks can use a session`(_ door: Door) async throws {
        let scene = try await Scene(door)
        let session = try scene.host.beginAndWait(SubstituteApp.identifier)
        #expect(try session.requestAndWait([ExtensionItem(contentText: "looks 1")]).first?.contentText == "looked")
        #expect(session.completeAndWait().reason == .completed)
    }

    @Test(arguments: Door.allCases) func `L6: cancellation, exit and time limit each end with their reason`(
        _ door: Door
    )
        async throws
    {
        let scene = try await Scene(door)
        #expect(await (try scene.begin()).cancel().reason == .cancelled)
        let exited = try await ending(scene.begin(), "exits")
        #expect(exited.reason == .exited && exited.detail == .exitCode(3), "\(exited)")
        let late = try await ending(scene.begin(timeLimit: .milliseconds(300)), "looks 1000000")
        #expect(late.reason == .timeLimit, "\(late)")
    }

    @Test(arguments: Door.allCases) func `L6: one unanswered request ends the extension though it answers others`(
        _ door: Door
    ) async throws {
        let scene = try await Scene(door, running: "answers-all-but-one")
        let session = try await scene.begin(timeLimit: .seconds(5))
        // One of the two callers waits for the answer to its first request.
        async let one = asking(session)
        async let other = asking(session)
        let ends = try await [one, other]
        #expect(ends.allSatisfy { $0.end.reason == .timeLimit }, "\(ends)")
        #expect(ends.map(\.answers).contains(0) && ends.contains { $0.answers > 0 }, "\(ends)")
    }

    /// Sends requests as long as they are answered.
    private func asking(_ session: ExtensionSession) async throws -> (answers: Int, end: Termination) {
        var answers = 0
        do {
            while true {
                _ = try await session.request([ExtensionItem(contentText: "x")])
                answers += 1
                try await Task.sleep(for: .milliseconds(20))
            }
        } catch HostError.ended(let end) {
            return (answers, end)
        }
    }

    @Test(arguments: Door.allCases) func `L6: crash, memory, denied call and flood each end with their reason`(
        _ door: Door
    ) async throws {
        let scene = try await Scene(door, running: "Misbehaver")
        for (conduct, reason) in [
            ("crashes", Termination.Reason.crashed), ("takesTooMuchMemory", .memoryLimit),
            ("forks", .deniedOperation), ("floods", .messageBudget), ("sendsMalformedMessage", .protocolViolation),
        ] {
            let session = try await scene.begin()
            let error = await #expect(throws: HostError.self) {
                try await session.request([ExtensionItem(userInfo: ["conduct": .string(conduct)])])
            }
            guard case .ended(let end)? = error else { continue }
            #expect(end.reason == reason, "\(conduct): \(end)")
            #expect(end.reason != .crashed || "\(end.detail)".hasPrefix("SIG"), "\(end)")
            #expect(end.reason != .deniedOperation || end.denials.first?.name == "clone", "\(end)")
        }
    }

    @Test(arguments: Door.allCases) func `P5: an extension that is switched off or removed ends and is not launched`(
        _ door: Door
    ) async throws {
        let scene = try await Scene(door)
        let (first, second) = (try await scene.begin(), try await scene.begin())
        try await scene.host.setEnabled(false, for: SubstituteApp.identifier)
        #expect(try await ending(first, "sleeps").reason == .disabled)
        #expect(try await ending(second, "sleeps").reason == .disabled)
        #expect(await scene.host.extensions().isEmpty)
        let installed = try await scene.host.installed()
        #expect(installed.map(\.id) == [SubstituteApp.identifier] && installed.allSatisfy { !$0.isEnabled })
        #expect(await scene.rejection()?.code == .disabled)
        try await scene.host.setEnabled(true, for: SubstituteApp.identifier)
        #expect(try await scene.host.installed() == scene.host.extensions())
        let third = try await scene.begin()
        try await scene.host.remove(app: "com.example.shout")
        #expect(try await ending(third, "sleeps").reason == .removed)
        #expect(await scene.rejection()?.code == .unknownExtension)
        #expect(throws: BrokerError.self) { try scene.host.removeAndWait(app: "com.example.shout") }
        #expect(throws: BrokerError.self) { try scene.host.setEnabledAndWait(true, for: "com.example.nobody") }
    }

    @Test(arguments: Door.allCases) func `P1, P3, P7: a bundle that breaks a rule is rejected with its path`(
        _ door: Door
    ) async throws {
        let scene = try await Scene(door)
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "Broken.app").path
        try FileManager.default.copyItem(atPath: scene.app.path, toPath: path)
        let program = path + "/Shout"
        try FileManager.default.setAttributes([.posixPermissions: 0o757], ofItemAtPath: program)
        let error = #expect(throws: BrokerError.self) { try scene.host.installAndWait(app: path) }
        #expect(error?.code == .invalidBundle && error?.place == path, "\(String(describing: error))")
        #expect("\(String(describing: error))".contains("Broken.app/Shout"))
        try FileManager.default.removeItem(atPath: program)
        try FileManager.default.createSymbolicLink(atPath: program, withDestinationPath: "/bin/sh")
        #expect(throws: BrokerError.self) { try scene.host.installAndWait(app: path) }
        #expect(throws: BrokerError.self) { try scene.host.installAndWait(app: folder.url.path + "/None.app") }
        // The installed app is unchanged.
        #expect(await (try scene.begin()).complete().reason == .completed)
    }

    /// A bundle names an extension point. A bundle must not choose a general policy, above all not `tool`.
    @Test(arguments: Door.allCases) func `a bundle that names a policy in place of a point is rejected`(
        _ door: Door
    ) async throws {
        let scene = try await Scene(door)
        let general = ["base", "compute", "resources", "storage", "tool", "transfer", "workspace"]
        for point in general + ["com.example.nothing", "com.apple.photo-edting"] {
            let app = try SubstituteApp(running: "works-on")
            try app.setPoint(point)
            let installed = try await scene.host.install(app: app.path)
            let rejection = try #require(installed.first?.rejection)
            #expect(rejection.code == .unsupportedPoint && installed.count == 1, "\(rejection)")
            for part in ["Loud.appex/Info.plist", "NSExtensionPointIdentifier", point, "com.apple.widget-extension"] {
                #expect("\(rejection)".contains(part), "\(rejection)")
            }
            #expect("\(rejection)".contains("did you mean com.apple.photo-editing?") == point.hasSuffix("edting"))
            #expect(await scene.host.extensions().isEmpty)
            #expect(try await scene.host.installed() == installed)
            #expect(await scene.rejection() == rejection)
            #expect(throws: rejection) { try scene.host.standbyAndWait(for: SubstituteApp.identifier) }
        }
    }

    @Test(arguments: Door.allCases) func `an extension that breaks a rule is rejected alone`(
        _ door: Door
    ) async throws {
        let scene = try await Scene(door)
        let plugIns = scene.app.path + "/PlugIns"
        try FileManager.default.createDirectory(atPath: plugIns + "/Broken.appex", withIntermediateDirectories: false)
        let installed = try await scene.host.install(app: scene.app.path)
        #expect(installed.map(\.id) == [SubstituteApp.identifier, "com.example.shout/PlugIns/Broken.appex"])
        #expect(await scene.host.extensions().map(\.id) == [SubstituteApp.identifier])
        let rejection = try #require(installed.last?.rejection)
        #expect(rejection.code == .invalidBundle && "\(rejection)".contains("Broken.appex/Info.plist"), "\(rejection)")
        #expect(await scene.rejection("com.example.shout/PlugIns/Broken.appex") == rejection)
        #expect(await (try scene.begin()).complete().reason == .completed)
    }

    @Test(arguments: Door.allCases) func `a host that names the expected point gets no other`(
        _ door: Door
    ) async throws {
        let scene = try await Scene(door)
        let session = try await scene.host.begin(SubstituteApp.identifier, as: "com.apple.ui-services")
        #expect(await session.complete().reason == .completed)
        let standby = try await scene.host.standby(
            for: SubstituteApp.identifier, as: "com.apple.photo-editing", keeping: 0...1)
        for begin in [
            { try await scene.host.begin(SubstituteApp.identifier, as: "com.apple.photo-editing") },
            { try await standby.begin() },
        ] as [() async throws -> ExtensionSession] {
            let error = await #expect(throws: HostError.self) { _ = try await begin() }
            guard case .rejected(let rejection)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(
                rejection.code == .otherPoint && "\(rejection)".contains("is for com.apple.ui-services"), "\(rejection)"
            )
        }
    }

    @Test(arguments: Door.allCases) func `a task that the host cancels differs from an extension that gives up`(
        _ door: Door
    ) async throws {
        let scene = try await Scene(door)
        let session = try await scene.begin()
        let task = Task { try await session.request([ExtensionItem(contentText: "sleeps")]) }
        task.cancel()
        guard case .failure(HostError.taskCancelled) = await task.result else {
            Issue.record("\(await task.result)")
            return
        }
        _ = await session.cancel()
    }

    @Test(arguments: Door.allCases) func `a launch report describes its contents in words`(_ door: Door) async throws {
        let scene = try await Scene(door)
        let session = try await scene.begin()
        let text = "\(session.launchReport)"
        for part in ["ready in", "com.apple.ui-services", "steps: ", "layers: ", "seccomp", "limits: ", "memory "] {
            #expect(text.contains(part), "\(text)")
        }
        #expect(await session.complete().reason == .completed)
    }

    // MARK: Bursts

    @Test(arguments: Door.allCases) func `200 sessions that begin at once wait and all of them begin`(_ door: Door)
        async throws
    {
        let scene = try await Scene(door)
        let ends = try await withThrowingTaskGroup { group in
            for _ in 0..<200 {
                group.addTask { await (try scene.begin()).complete().reason }
            }
            return try await group.reduce(into: [Termination.Reason]()) { $0.append($1) }
        }
        #expect(ends.count == 200 && ends.allSatisfy { $0 == .completed }, "\(ends)")
    }

    // MARK: Repeated failures

    @Test(arguments: Door.allCases) func `SIG-07: an extension that never becomes ready has to pause`(_ door: Door)
        async throws
    {
        // This program is no extension: it exits without a hello.
        let scene = try await Scene(door, running: "runs-alone")
        for failures in 0..<20 {
            do {
                _ = try await scene.begin(origin: "visitor \(failures)")
                Issue.record("a program without a hello became ready")
            } catch HostError.ended(let end) {
                #expect(end.reason == .exited, "\(end)")
            } catch HostError.rejected(let error) {
                #expect(error.code == .heldBack && failures >= 5, "after \(failures): \(error)")
                return
            }
        }
        Issue.record("20 failures in a row, and no pause")
    }

    @Test(arguments: Door.allCases)
    func `L9: twelve inputs that end an extension at once keep no other origin from it`(_ door: Door) async throws {
        let scene = try await Scene(door)
        try await endTwelve(scene, origin: "visitor")
        let error = try await rejection(scene, origin: "visitor")
        #expect(error.code == .heldBack && error.what.contains("for this origin"), "\(error)")
        // The pause of the origin goes on while the others are served.
        for origin in ["another visitor", nil] {
            let session = try await scene.begin(origin: origin)
            let answer = try await session.request([ExtensionItem(contentText: "looks 5")])
            #expect(answer.first?.contentText == "looked")
            #expect(await session.complete().reason == .completed)
        }
    }

    @Test(arguments: Door.allCases)
    func `L9: inputs without an origin that end an extension delay nobody`(_ door: Door) async throws {
        let scene = try await Scene(door)
        try await endTwelve(scene, origin: nil)
        let session = try await scene.begin()
        #expect(try await session.request([ExtensionItem(contentText: "looks 5")]).first?.contentText == "looked")
    }

    /// Begins twelve sessions at the same time, and ends each of them by its input.
    private func endTwelve(_ scene: Scene, origin: String?) async throws {
        let ends = try await withThrowingTaskGroup { group in
            for _ in 0..<12 {
                group.addTask { try await ending(scene.begin(origin: origin), "exits") }
            }
            var ends: [Termination] = []
            // The pause may begin before the last of the sessions does.
            while let end = await group.nextResult() {
                switch end {
                case .success(let end): ends.append(end)
                case .failure(HostError.rejected(let error)) where error.code == .heldBack && origin != nil: break
                case .failure(let error): throw error
                }
            }
            return ends
        }
        #expect(ends.count >= 5 && ends.allSatisfy { $0.reason == .exited }, "\(ends)")
    }

    /// Ends further sessions of the origin until one is rejected. So a pause that is over causes the next one.
    private func rejection(_ scene: Scene, origin: String) async throws -> BrokerError {
        while true {
            do {
                _ = try await ending(scene.begin(origin: origin), "exits")
            } catch HostError.rejected(let error) {
                return error
            }
        }
    }

    @Test(arguments: Door.allCases)
    func `L9: an extension that answers before it fails is not held back`(_ door: Door) async throws {
        let scene = try await Scene(door)
        for _ in 0..<8 {
            let session = try await scene.begin(origin: "visitor")
            #expect(try await session.request([ExtensionItem(contentText: "looks 1")]).first?.contentText == "looked")
            #expect(try await ending(session, "exits").reason == .exited)
        }
    }

    @Test(arguments: Door.allCases) func `an origin has at most 256 bytes`(_ door: Door) async throws {
        let scene = try await Scene(door)
        let longest = String(repeating: "é", count: 128)
        #expect(await (try scene.begin(origin: longest)).complete().reason == .completed)
        do {
            _ = try await scene.begin(origin: longest + "x")
            Issue.record("an origin of 257 bytes was accepted")
        } catch HostError.rejected(let error) {
            #expect(error.code == .invalidOrigin, "\(error)")
        }
    }
}

extension InstalledExtension {
    fileprivate static func example(id: String, app: String, digest: String?) -> InstalledExtension {
        InstalledExtension(
            id: id, displayName: "Shout — Loud", extensionPoint: "com.apple.ui-services", containingApp: app,
            build: InstalledExtension.Build(version: "1", digest: digest))
    }
}
