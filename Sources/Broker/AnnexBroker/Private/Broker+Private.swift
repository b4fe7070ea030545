package import AnnexBrokerAPI
internal import AnnexBundle
package import AnnexRegistry

// The private directories of removed apps, for a broker whose installed apps are on disk. It announces a removal, records
// it, and only then removes the directories.

extension Broker {
    /// Announces that private directories will be removed.
    package func announceRemoval(of subjects: [PrivateSubject]) throws(BrokerError) { try privates.announce(subjects) }

    /// Withdraws an announcement: nothing is removed.
    package func withdrawRemoval(of subjects: [PrivateSubject]) { privates.withdraw(subjects) }

    /// Removes private directories, each when its last instance has ended.
    package func removePrivateDirectories(of subjects: [PrivateSubject]) { privates.remove(subjects) }

    /// Finishes the removals that a killed broker announced, as far as they were recorded.
    /// - Parameter apps: the apps that are installed on disk, also those that cannot be loaded.
    package func finishAnnouncedRemovals(installed apps: Set<String>) {
        for subject in privates.announcements {
            switch subject {
            case .app(let app):
                if apps.contains(app) { privates.withdraw([subject]) } else { privates.remove([subject]) }
            case .extension(let identifier, let app):
                let bundles = bundles(of: app)
                // Without its bundles, nothing is known of the app's extensions.
                guard !bundles.isEmpty else { continue }
                let isThere = bundles.contains { $0.identifier == identifier }
                if isThere { privates.withdraw([subject]) } else { privates.remove([subject]) }
            }
        }
    }
}

extension Installation {
    /// The private directories that are of no use any more.
    package var gone: [PrivateSubject] { dropped.map { .extension($0, of: known.identifier) } }
}
