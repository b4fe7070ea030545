internal import AnnexLinux
internal import Glibc

/// The place in which one launcher makes its control groups.
struct GroupPlace {
    let hierarchy: ControlGroupHierarchy
    /// The group that limits all of them together; nil if there is none.
    let node: ControlGroupNode?

    /// Finds the place for a launcher's groups. If the program has a delegated group, the place is below a node in it,
    /// so that the unit's own limits apply. Otherwise it is the first candidate in which a group can be made.
    ///
    /// - Parameters:
    ///   - share: what all launches may have together. If nil, the node in a delegated group gets less than the host.
    ///   - candidates: as `ControlGroupHierarchy.candidates` lists them: this process's own group of version 2 first.
    ///   - spare: receives an empty group of the place, if one was made to try it.
    /// - Returns: nil if no group with a memory limit can be made.
    static func find(
        _ share: GroupShare?, among candidates: [ControlGroupHierarchy], spare: inout ControlGroup?
    ) throws(SystemError) -> GroupPlace? {
        if let unit = delegated(candidates) {
            guard let share else { return GroupPlace(below: try ControlGroupNode(in: unit, GroupShare())) }
            return GroupPlace(below: try node(in: unit, share))
        }
        guard let hierarchy = ControlGroupHierarchy.find(among: candidates, keeping: &spare) else { return nil }
        guard let share else { return GroupPlace(hierarchy: hierarchy, node: nil) }
        // The test group lies above the share's own group, which must limit every group: it cannot serve as spare.
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

    /// Makes the node, under the share's own name if no other group has that name.
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

    /// The group that was delegated to this program, after the program has moved into its leaf. nil if there is none
    /// with memory limits.
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
