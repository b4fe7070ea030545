/// Where the reports on ended extensions are kept: one JSON file per end, the newest 500, read by `annex reports`.
public enum ReportPlace: Sendable, Hashable {
    /// The user's own folder: what `ANNEX_REPORTS` names (none where it is empty); else `$XDG_STATE_HOME/annex/reports` or
    /// `~/.local/state/annex/reports`; for root `/var/lib/annex/reports`.
    case standard
    /// This folder, by its absolute path. It is made where it is missing, and must be this user's own, writable by nobody else.
    case folder(String)
    /// Nowhere: no report is kept.
    case nowhere
}
