internal import AnnexLinux
internal import Glibc

/// Where one launcher makes its control groups.
struct GroupPlace {
    let hierarchy: ControlGroupHierarchy
    /// The group that bounds all of them together, where there is one.
    let node: ControlGroupNode?

    /// Within a delegated group: below a node there, where the unit's own limits hold. Else in the first place that
    /// takes a group, as before there were such.
    /// - Parameter share: what all launches may have together; nil: in a delegated group they have less than the host.
    /// - Parameters:
    ///   - candidates: as `ControlGroupHierarchy.candidates` lists them, the own group of version 2 first.
    ///   - spare: gets an empty group of the place, if one was made to try it.
    /// - Returns: nil where no group with a memory limit can be made.
    static func find(
        _ share: GroupShare?, among candidates: [ControlGroupHierarchy], spare: inout ControlGroup?
    ) throws(SystemError) -> GroupPlace? {
        if let unit = delegated(candidates) {
            guard let share else { return GroupPlace(below: try ControlGroupNode(in: unit, GroupShare())) }
            return GroupPlace(below: try node(in: unit, share))
        }
        guard let hierarchy = ControlGroupHierarchy.find(among: candidates, keeping: &spare) else { return nil }
        guard let share else { return GroupPlace(hierarchy: hierarchy, node: nil) }
        // Made above the share's own group, which is to bound all of them.
        spare = nil
        return GroupPlace(below: try ControlGroupNode(in: hierarchy, share))
    }

    private init(hierarchy: ControlGroupHierarchy, node: ControlGroupNode?) {
        self.hierarchy = hierarchy
        self.node = node
    }

    private init(below node: ControlGroupNode) {
        self.init(hierarchy: node.hierarchy, node: node)
    }

    /// Under the share's own name where nobody has that.
    private static func node(
        in unit: ControlGroupHierarchy, _ share: GroupShare
    ) throws(SystemError) -> ControlGroupNode {
        guard let name = share.name else { return try ControlGroupNode(in: unit, share) }
        do throws(SystemError) {
            return try ControlGroupNode(in: unit, named: name, share)
        } catch {
            guard error.errno == EEXIST else { throw error }
            return try ControlGroupNode(in: unit, share)
        }
    }

    /// The group that was left to this program, with the program in its leaf; nil where there is none with memory limits.
    private static func delegated(_ candidates: [ControlGroupHierarchy]) -> ControlGroupHierarchy? {
        guard let own = candidates.first(where: { $0.version == .two })?.memory, let unit = DelegatedGroup(own: own)
        else { return nil }
        do throws(SystemError) {
            try unit.settle()
        } catch {
            return nil
        }
        let hierarchy = ControlGroupHierarchy(version: .two, memory: unit.path, processes: nil)
        return ControlGroupHierarchy.find(among: [hierarchy])
    }
}
