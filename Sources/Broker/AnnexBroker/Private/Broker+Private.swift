package import AnnexBrokerAPI
internal import AnnexBundle
package import AnnexRegistry

// The private directories of removed apps, for a broker whose installed apps are recorded on disk. The caller announces
// a removal, records it, and only then removes the directories.

extension Broker {
    /// Announces that private directories will be removed.
    package func announceRemoval(of subjects: [PrivateSubject]) throws(BrokerError) { try privates.announce(subjects) }

    /// Withdraws an announcement. After that, nothing is removed.
    package func withdrawRemoval(of subjects: [PrivateSubject]) { privates.withdraw(subjects) }

    /// Removes private directories. Each directory is removed when the last extension process that uses it has ended.
    package func removePrivateDirectories(of subjects: [PrivateSubject]) { privates.remove(subjects) }

    /// Finishes the removals that a killed broker announced, if they were recorded.
    /// - Parameter apps: the apps that are installed on disk, including apps that cannot be loaded.
    package func finishAnnouncedRemovals(installed apps: Set<String>) {
        for subject in privates.announcements {
            switch subject {
            case .app(let app):
                if apps.contains(app) { privates.withdraw([subject]) } else { privates.remove([subject]) }
            case .extension(let identifier, let app):
                let bundles = bundles(of: app)
                // Without the app's bundles, the broker cannot know which extensions the app contains.
                guard !bundles.isEmpty else { continue }
                let isThere = bundles.contains { $0.identifier == identifier }
                if isThere { privates.withdraw([subject]) } else { privates.remove([subject]) }
            }
        }
    }
}

extension Installation {
    /// The private directories that are no longer needed.
    package var gone: [PrivateSubject] { dropped.map { .extension($0, of: known.identifier) } }
}
