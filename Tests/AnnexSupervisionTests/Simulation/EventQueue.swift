@testable import AnnexSupervision

/// Future events, ordered by their moment. Events of the same moment keep the order in which they were added.
struct EventQueue<Event> {
    private var events: [(moment: Moment, event: Event)] = []

    mutating func add(_ event: Event, at moment: Moment) {
        let place = events.firstIndex { $0.moment > moment } ?? events.endIndex
        events.insert((moment, event), at: place)
    }

    mutating func next() -> (moment: Moment, event: Event)? {
        events.isEmpty ? nil : events.removeFirst()
    }
}
