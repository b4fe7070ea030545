internal import AnnexLinux
package import AnnexPolicy
internal import Glibc

extension Launcher {
    /// Finds out what the machine offers, removes the remains of killed brokers, and starts the warden.
    ///
    /// - Parameters:
    ///   - waiving: layers that the host can do without. The launcher tries each of them now. It leaves a layer out of
    ///     launches only if this machine cannot provide the layer, and the launch report then lists the layer. If the
    ///     set is empty, nothing is tried, and the first launch reports what is missing.
    ///   - share: the limits for all launches together.
    ///   - advice: how the owner of the launcher can do without a layer.
    package static func start(
        waiving: Set<SandboxLayer> = [], share: GroupShare? = nil, advice: LayerAdvice = .sandbox
    ) throws(SandboxError) -> Launcher {
        try Confinement.rejectNesting()
        let loop = try SandboxError.step("event loop") { () throws(SystemError) in try EventLoop.shared() }
        let landlock = try landlock(isWaived: waiving.contains(.landlock), advice: advice)
        let candidates = ControlGroupHierarchy.candidates()
        var spare: ControlGroup?
        let parent = try SandboxError.step("control group") { () throws(SystemError) in
            try GroupParent.find(share, among: candidates, spare: &spare)
        }
        // The warden starts only after the search for the parent of control groups, because the search may move this
        // process into a leaf group. The warden must start in this leaf too. A group that gives controllers to its
        // children must hold no process itself.
        let (warden, identities) = try warden(on: loop) { () throws(SandboxError) in
            for candidate in candidates + (parent.map { [$0.hierarchy] } ?? []) { _ = ControlGroup.sweep(candidate) }
            return try usersToGive()
        }
        let missingLayers = LayerTrial(warden: warden, landlock: landlock).missingLayers(among: waiving)
        return Launcher(
            loop: loop, warden: warden, landlock: landlock, missingLayers: missingLayers, parent: parent, spare: spare,
            identities: identities, advice: advice)
    }

    private static func landlock(isWaived: Bool, advice: LayerAdvice) throws(SandboxError) -> LandlockVersion? {
        do throws(SystemError) {
            return try LandlockVersion.ofKernel()
        } catch {
            if isWaived { return nil }
            throw SandboxError(
                "Landlock", error: error, remedy: advice.remedy(error.remedy, doingWithout: [.landlock]))
        }
    }

    /// - Parameter meanwhile: runs while the warden starts.
    private static func warden<Made>(
        on loop: EventLoop, meanwhile: () throws(SandboxError) -> Made
    ) throws(SandboxError) -> (Warden, Made) {
        var others: ArraySlice<WardenProgram> = []
        let starting = try SandboxError.step("warden") { () throws(SystemError) in
            try StartingWarden.first(of: WardenProgram.standard, on: loop, others: &others)
        }
        let made: Made
        do throws(SandboxError) {
            made = try meanwhile()
        } catch {
            starting.giveUp()
            throw error
        }
        do throws(SystemError) {
            return (try Warden.ready(starting, others: others), made)
        } catch {
            throw SandboxError("warden", error: error)
        }
    }

    /// The users to give to sandboxes; nil for an ordinary user.
    private static func usersToGive() throws(SandboxError) -> IdentityRange? {
        try SandboxError.step("identities") { () throws(SystemError) -> IdentityRange? in
            try IdentityRange.check()
            let standing = try Standing.ofThisProcess()
            if let missing = standing.missing { throw missing }
            return standing.hasUsersToGive ? try IdentityRange() : nil
        }
    }
}
