package import Recognition

/// Whether somebody has kept still in one activity for a minute: then decisions may wait for each other.
package struct LastingPosture {
    // Seconds x 50.
    private static let enough: Int64 = 60 * 50
    // Mean square of a length about its slow mean, (1/4096 g)^2: 0.05 g.
    private static let movement: Int64 = 205 * 205

    private var since: Int64?
    package private(set) var lasts = false

    package init() {}

    package mutating func take(_ activity: Activity) {
        guard activity.steps == 0, activity.movement < Self.movement else {
            (since, lasts) = (nil, false)
            return
        }
        let began = max(activity.start, since ?? activity.end)
        since = began
        lasts = activity.end - began >= Self.enough
    }
}
