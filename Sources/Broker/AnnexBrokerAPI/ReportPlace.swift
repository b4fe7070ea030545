/// Where the reports on ended extensions are kept. A report is one JSON file per end; the newest 500 are kept, and
/// `annex reports` reads them.
public enum ReportPlace: Sendable, Hashable {
    /// The user's own folder, which is the first of these:
    /// - the folder that `ANNEX_REPORTS` names; if that variable is set and empty, no report is kept
    /// - `/var/lib/annex/reports` for root
    /// - `$XDG_STATE_HOME/annex/reports`
    /// - `~/.local/state/annex/reports`
    case standard
    /// The folder at this absolute path. Annex creates it if it is missing. It must belong to this user, and no other
    /// user may have the right to write to it.
    case folder(String)
    /// No report is kept.
    case nowhere
}
