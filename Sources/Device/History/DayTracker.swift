package import HubProtocol

/// What the wearer does, as it comes, to rows of the history. Pure: times are given.
package struct DayTracker: Sendable {
    /// When something was: ms since 1970, and ms that nobody sets.
    package struct Moment: Sendable, Equatable {
        package var wall: Int64
        package var elapsed: Int64

        package init(wall: Int64, elapsed: Int64) { (self.wall, self.elapsed) = (wall, elapsed) }
    }

    /// Rows that are complete, the oldest first.
    package private(set) var rows: [HistoryRow] = []

    private struct Stretch {
        var label: String, isStill: Bool
        var began: Moment
    }
    private struct Minute {
        /// Of its beginning, and how much was seen of it.
        var wall: Int64, seen: Int64 = 0
        var steps = 0
        /// mg^2 x ms
        var squares = 0.0
    }
    private struct Bout {
        var began: Moment, last: Moment
        var steps: Int64 = 0
        /// Sum of the cadences that were told, and how many.
        var cadences = 0, count = 0
    }

    private var stretch: Stretch?
    private var last: Moment?
    private var minute: Minute?
    private var bout: Bout?
    // Samples that do not come for so long end what was going on, ms.
    private static let patience: Int64 = 10_000
    // A pause that ends a walk, and the shortest one.
    private static let pause: Int64 = 6_000, shortest: Int64 = 5_000
    // What goes on is written so often, so that a power cut costs no more; what a sleeping sensor does, each hour.
    private static let piece: Int64 = 60_000, stillPiece: Int64 = 3_600_000
    private static let walks: Set<String> = ["WALKING", "WALKING_UPSTAIRS", "WALKING_DOWNSTAIRS", "RUNNING"]
    // Nobody takes rows while the disk is full: the oldest go.
    private static let most = 5_000

    // Whoever takes rows gives memory for the next ones: the loop allocates none.
    private static let room = 512

    package init() { rows = Self.emptyRows }

    private static var emptyRows: [HistoryRow] {
        var rows: [HistoryRow] = []
        rows.reserveCapacity(room)
        return rows
    }

    /// A window was decided on.
    ///
    /// - Parameters:
    ///   - steps: since the window before.
    ///   - cadence: steps a minute; nil where there is no gait.
    ///   - movement: since then, mg.
    ///   - isStill: whether the sensor sleeps from now on.
    package mutating func take(
        _ label: String, at now: Moment, steps: Int64, cadence: Int? = nil, movement: Double, isStill: Bool = false
    ) {
        if let last, now.elapsed - last.elapsed > Self.patience, stretch?.isStill == false { end(at: last) }
        let since = last.map { min(max(0, now.elapsed - $0.elapsed), Self.patience) } ?? 0
        if let stretch, stretch.label != label || stretch.isStill != isStill || now.elapsed - stretch.began.elapsed >= Self.piece {
            close(stretch, at: now)
        }
        if stretch == nil { stretch = Stretch(label: label, isStill: isStill, began: now) }
        note(since: since, steps: steps, movement: movement, at: now)
        noteBout(label, at: now, steps: steps, cadence)
        last = now
    }

    /// Time goes on; a sensor that sleeps gives no windows.
    package mutating func tick(_ now: Moment) {
        guard let stretch, stretch.isStill, now.elapsed - stretch.began.elapsed >= Self.stillPiece else { return }
        close(stretch, at: now)
        self.stretch = Stretch(label: stretch.label, isStill: true, began: now)
        last = now
    }

    /// A fall, at the time of its impact.
    package mutating func take(_ state: FallState, at wall: Int64) { add(.fall(at: wall, state: state)) }

    /// The program ends, or nothing came for long.
    package mutating func end(at now: Moment? = nil) {
        if let stretch, let now = now ?? last { close(stretch, at: now) }
        closeMinute()
        closeBout()
        last = nil
    }

    /// Rows for the disk; what is going on stays.
    package mutating func takeRows() -> [HistoryRow] {
        if rows.isEmpty { return [] }
        var taken = Self.emptyRows
        swap(&taken, &rows)
        return taken
    }

    /// Rows that the disk did not take come back.
    package mutating func giveBack(_ rows: [HistoryRow]) {
        self.rows.insert(contentsOf: rows, at: 0)
        if self.rows.count > Self.most { self.rows.removeFirst(self.rows.count - Self.most) }
    }

    private mutating func add(_ row: HistoryRow) {
        if rows.count == Self.most { rows.removeFirst() }
        rows.append(row)
    }

    // A wall clock that was set meanwhile counts at the end: lengths are of the other clock.
    private mutating func close(_ stretch: Stretch, at now: Moment) {
        let length = max(0, now.elapsed - stretch.began.elapsed)
        if length > 0 { add(.stretch(at: now.wall - length, label: stretch.label, length: length, isStill: stretch.isStill)) }
        self.stretch = nil
    }

    private mutating func note(since: Int64, steps: Int64, movement: Double, at now: Moment) {
        let wall = now.wall - now.wall % 60_000
        if let minute, minute.wall != wall { closeMinute() }
        var current = minute ?? Minute(wall: wall)
        current.seen = min(60_000, current.seen + since)
        current.steps += Int(clamping: steps)
        current.squares += movement * movement * Double(since)
        minute = current
    }

    private mutating func closeMinute() {
        if let minute, minute.seen > 0 || minute.steps > 0 {
            let movement = (minute.squares / Double(max(1, minute.seen))).squareRoot()
            add(.minute(at: minute.wall, steps: minute.steps, movement: Int(min(movement, 1e6)), seen: minute.seen))
        }
        minute = nil
    }

    private mutating func noteBout(_ label: String, at now: Moment, steps: Int64, _ cadence: Int?) {
        if var running = bout {
            if Self.walks.contains(label) && now.elapsed - running.last.elapsed <= Self.pause {
                running.last = now
                running.steps += steps
                if let cadence { (running.cadences, running.count) = (running.cadences + cadence, running.count + 1) }
                bout = running
                // The day joins the pieces of a walk.
                if now.elapsed - running.began.elapsed >= Self.piece {
                    closeBout()
                    bout = Bout(began: now, last: now)
                }
                return
            }
            guard now.elapsed - running.last.elapsed > Self.pause else { return }
            closeBout()
        }
        guard Self.walks.contains(label) else { return }
        let began = last.flatMap { now.elapsed - $0.elapsed < Self.pause ? $0 : nil } ?? now
        bout = Bout(began: began, last: now, steps: steps, cadences: cadence ?? 0, count: cadence == nil ? 0 : 1)
    }

    private mutating func closeBout() {
        if let bout {
            let length = bout.last.elapsed - bout.began.elapsed
            if length >= Self.shortest || bout.steps > 0, length > 0 {
                add(
                    .bout(
                        at: bout.last.wall - length, length: length, steps: Int(clamping: bout.steps),
                        cadence: bout.count > 0 ? bout.cadences / bout.count : Int(clamping: bout.steps * 60_000 / length)))
            }
        }
        bout = nil
    }
}
